#pragma once
#include <cstdio>
#include <string>
#define RCLCPP_INTERFACE_LOG(level, logger, ...) \
  do {(void)(logger); std::fprintf(stderr, level ": "); std::fprintf(stderr, __VA_ARGS__); std::fputc('\n', stderr);} while (0)
#define RCLCPP_ERROR(logger, ...) RCLCPP_INTERFACE_LOG("error", logger, __VA_ARGS__)
#define RCLCPP_WARN(logger, ...) RCLCPP_INTERFACE_LOG("warning", logger, __VA_ARGS__)
namespace rclcpp
{
class Logger
{
public:
  std::string name;
};
inline Logger get_logger(const std::string & name) {return Logger{name};}
}  // namespace rclcpp
