#pragma once
#include <functional>
#include <map>
#include <string>
namespace pluginlib
{
inline std::map<std::string, std::function<void *()>> & plugins()
{
  static std::map<std::string, std::function<void *()>> known;
  return known;
}
}  // namespace pluginlib
#define PLUGINLIB_JOINED_NAME(a, b) a##b
#define PLUGINLIB_OWN_NAME(number) PLUGINLIB_JOINED_NAME(plugin_, number)
#define PLUGINLIB_EXPORT_CLASS(own, base) \
  static const bool PLUGINLIB_OWN_NAME(__COUNTER__) = \
    (pluginlib::plugins()[#own] = [] {return static_cast<void *>(static_cast<base *>(new own()));}, true);
