#pragma once
#include <optional>
#include <string>
#include <utility>
namespace hardware_interface
{
class Handle
{
public:
  Handle(const std::string & prefix, const std::string & name, double * value)
  : prefix_(prefix), name_(name), value_(value) {}
  std::string get_name() const {return prefix_ + "/" + name_;}
  const std::string & get_interface_name() const {return name_;}
  const std::string & get_prefix_name() const {return prefix_;}
#ifdef HUMBLE
  double get_value() const {return *value_;}
#else
  template<typename T = double>
  [[nodiscard]] std::optional<T> get_optional() const {return *value_;}
  [[deprecated]] double get_value() const {return *value_;}
#endif

protected:
  std::string prefix_, name_;
  double * value_;
};
class LoanedStateInterface : public Handle
{
public:
  using Handle::Handle;
};
class LoanedCommandInterface : public Handle
{
public:
  using Handle::Handle;
#ifdef HUMBLE
  void set_value(double value) {*value_ = value;}
#else
  template<typename T>
  [[nodiscard]] bool set_value(const T & value, unsigned int = 10)
  {
    *value_ = value;
    return true;
  }
#endif
};
}  // namespace hardware_interface
