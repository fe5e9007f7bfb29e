#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include "rclcpp/logging.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
namespace rclcpp
{
class Time
{
public:
  explicit Time(std::int64_t nanoseconds = 0)
  : nanoseconds_(nanoseconds) {}
  double seconds() const {return static_cast<double>(nanoseconds_) * 1e-9;}

private:
  std::int64_t nanoseconds_;
};
class Duration
{
public:
  explicit Duration(std::chrono::nanoseconds value)
  : value_(value) {}
  double seconds() const {return std::chrono::duration<double>(value_).count();}

private:
  std::chrono::nanoseconds value_;
};
class SystemDefaultsQoS {};
template<typename Message>
class Subscription
{
public:
  using SharedPtr = std::shared_ptr<Subscription<Message>>;
  std::function<void(typename Message::SharedPtr)> callback;
};
class Node
{
public:
  using SharedPtr = std::shared_ptr<Node>;
  Logger get_logger() const {return Logger{"node"};}
};
}  // namespace rclcpp
