#pragma once
#include <any>
#include "rclcpp/node.hpp"
namespace rclcpp_lifecycle
{
class State {};
namespace node_interfaces
{
class LifecycleNodeInterface
{
public:
  enum class CallbackReturn {SUCCESS = 97, FAILURE = 98, ERROR = 99};
  virtual CallbackReturn on_configure(const State &) {return CallbackReturn::SUCCESS;}
  virtual CallbackReturn on_activate(const State &) {return CallbackReturn::SUCCESS;}
  virtual CallbackReturn on_deactivate(const State &) {return CallbackReturn::SUCCESS;}
  virtual ~LifecycleNodeInterface() = default;
};
}  // namespace node_interfaces
class LifecycleNode
{
public:
  rclcpp::Logger get_logger() const {return rclcpp::Logger{"controller"};}
  bool has_parameter(const std::string & name) const {return parameters.has_parameter(name);}
  rclcpp::Parameter get_parameter(const std::string & name) const {return parameters.get_parameter(name);}
  template<typename T>
  T declare_parameter(const std::string & name, const T & value)
  {
    parameters.values[name] = value;
    return value;
  }
  template<typename Message, typename Callback>
  typename rclcpp::Subscription<Message>::SharedPtr create_subscription(
    const std::string & topic, const rclcpp::SystemDefaultsQoS &, Callback && callback)
  {
    auto made = std::make_shared<rclcpp::Subscription<Message>>();
    made->callback = callback;
    subscriptions[topic] = made;
    return made;
  }
  rclcpp::node_interfaces::NodeParametersInterface parameters;
  std::map<std::string, std::any> subscriptions;
};
}  // namespace rclcpp_lifecycle
