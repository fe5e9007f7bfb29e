#pragma once
#include <map>
#include <memory>
#include <string>
#include "rclcpp/parameter.hpp"
namespace rclcpp::node_interfaces
{
class NodeParametersInterface
{
public:
  using SharedPtr = std::shared_ptr<NodeParametersInterface>;
  using ConstSharedPtr = std::shared_ptr<const NodeParametersInterface>;
  bool has_parameter(const std::string & name) const {return values.count(name) > 0;}
  Parameter get_parameter(const std::string & name) const {return Parameter(name, values.at(name));}
  bool get_parameter(const std::string & name, Parameter & parameter) const
  {
    if (!has_parameter(name)) {
      return false;
    }
    parameter = get_parameter(name);
    return true;
  }
  std::map<std::string, ParameterValue> values;
};
}  // namespace rclcpp::node_interfaces
