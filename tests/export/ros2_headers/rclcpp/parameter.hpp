#pragma once
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>
namespace rclcpp
{
using ParameterValue =
  std::variant<std::monostate, bool, double, std::string, std::vector<double>, std::vector<std::string>>;
class Parameter
{
public:
  Parameter() = default;
  Parameter(const std::string & name, ParameterValue value)
  : name_(name), value_(std::move(value)) {}
  bool as_bool() const {return std::get<bool>(value_);}
  double as_double() const {return std::get<double>(value_);}
  const std::string & as_string() const {return std::get<std::string>(value_);}
  std::vector<double> as_double_array() const {return std::get<std::vector<double>>(value_);}
  std::vector<std::string> as_string_array() const {return std::get<std::vector<std::string>>(value_);}
  template<typename T>
  T get_value() const {return std::get<T>(value_);}

private:
  std::string name_;
  ParameterValue value_;
};
}  // namespace rclcpp
