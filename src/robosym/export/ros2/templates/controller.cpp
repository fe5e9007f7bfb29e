#include <controller_interface/controller_interface.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <trajectory_msgs/msg/joint_trajectory.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ROBOT_PACKAGE/model.hpp"

namespace ROBOT_PACKAGE
{
namespace
{

// the interfaces of ros2_control changed: values are optional in later distributions
template<typename Interface>
auto value_of(const Interface & interface, int) -> decltype(static_cast<double>(interface.get_optional().value()))
{
  const auto value = interface.get_optional();
  return value.has_value() ? value.value() : std::nan("");
}

template<typename Interface>
double value_of(const Interface & interface, long)
{
  return interface.get_value();
}

}  // namespace

/// Gravity compensation, or computed torque control of a desired motion.
///
/// Commands are efforts of the joints in the parameter `joints`. Desired motions are messages on `~/reference`: the
/// first point of a joint trajectory, with joints by name. Without one the controller holds the initial position.
class EffortController : public controller_interface::ControllerInterface
{
public:
  using CallbackReturn = controller_interface::CallbackReturn;
  using Configuration = controller_interface::InterfaceConfiguration;
  using Message = trajectory_msgs::msg::JointTrajectory;

  CallbackReturn on_init() override
  {
    try {
      auto_declare<std::vector<std::string>>("joints", free_joint_names());
      auto_declare<std::string>("mode", "gravity_compensation");
      auto_declare<std::vector<double>>("kp", std::vector<double>());
      auto_declare<std::vector<double>>("kd", std::vector<double>());
      auto_declare<bool>("friction", false);
    } catch (const std::exception & error) {
      RCLCPP_ERROR(rclcpp::get_logger("ROBOT_PACKAGE"), "%s", error.what());
      return CallbackReturn::ERROR;
    }
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_configure(const rclcpp_lifecycle::State &) override
  {
    try {
      map_ = JointMap(get_node()->get_parameter("joints").as_string_array());
      driven_.clear();
      for (const std::string & name : map_.names()) {
        driven_.push_back(&joints()[joint_index(name)]);
      }
    } catch (const std::exception & error) {
      RCLCPP_ERROR(get_node()->get_logger(), "joints: %s", error.what());
      return CallbackReturn::ERROR;
    }
    const std::string mode = get_node()->get_parameter("mode").as_string();
    if (mode != "gravity_compensation" && mode != "computed_torque") {
      RCLCPP_ERROR(
        get_node()->get_logger(), "mode: expected gravity_compensation or computed_torque, found '%s'", mode.c_str());
      return CallbackReturn::ERROR;
    }
    follows_ = mode == "computed_torque";
    friction_ = get_node()->get_parameter("friction").as_bool();
    if (friction_ && !has_friction_efforts()) {
      RCLCPP_ERROR(get_node()->get_logger(), "friction: expected false, because friction depends on the load");
      return CallbackReturn::ERROR;
    }
    if (!gains("kp", kp_) || !gains("kd", kd_)) {
      return CallbackReturn::ERROR;
    }
    reference_ = get_node()->create_subscription<Message>(
      "~/reference", rclcpp::SystemDefaultsQoS(), [this](const Message::SharedPtr message) {take(*message);});
    return CallbackReturn::SUCCESS;
  }

  Configuration command_interface_configuration() const override
  {
    return {controller_interface::interface_configuration_type::INDIVIDUAL, interfaces({"effort"})};
  }

  Configuration state_interface_configuration() const override
  {
    return {controller_interface::interface_configuration_type::INDIVIDUAL, interfaces({"position", "velocity"})};
  }

  CallbackReturn on_activate(const rclcpp_lifecycle::State &) override
  {
    positions_.clear();
    velocities_.clear();
    efforts_.clear();
    for (const std::string & name : map_.names()) {
      positions_.push_back(find(state_interfaces_, name + "/position"));
      velocities_.push_back(find(state_interfaces_, name + "/velocity"));
      efforts_.push_back(find(command_interfaces_, name + "/effort"));
      if (positions_.back() < 0 || velocities_.back() < 0 || efforts_.back() < 0) {
        RCLCPP_ERROR(
          get_node()->get_logger(), "joint '%s': expected interfaces position, velocity and effort", name.c_str());
        return CallbackReturn::ERROR;
      }
    }
    const Eigen::Index count = static_cast<Eigen::Index>(map_.size());
    const std::lock_guard<std::mutex> lock(mutex_);
    desired_ = {read(state_interfaces_, positions_), Values::Zero(count), Values::Zero(count)};
    waiting_ = desired_;
    if (!desired_.q.allFinite()) {
      RCLCPP_ERROR(get_node()->get_logger(), "expected finite joint positions on activation");
      return CallbackReturn::ERROR;
    }
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) override
  {
    command(Values::Zero(static_cast<Eigen::Index>(efforts_.size())));
    return CallbackReturn::SUCCESS;
  }

  controller_interface::return_type update(const rclcpp::Time &, const rclcpp::Duration &) override
  {
    if (mutex_.try_lock()) {  // never wait for a message in the control loop
      desired_ = waiting_;
      mutex_.unlock();
    }
    const Values q = read(state_interfaces_, positions_), qd = read(state_interfaces_, velocities_);
    const Values tau = efforts(q, qd);
    if (!tau.allFinite()) {
      command(Values::Zero(tau.size()));
      return controller_interface::return_type::ERROR;
    }
    command(limited(tau));
    return controller_interface::return_type::OK;
  }

private:
  struct Motion
  {
    Values q, qd, qdd;
  };

  Values efforts(const Values & q, const Values & qd) const
  {
    const Dynamics dynamics(map_);
    if (!follows_) {
      return dynamics.gravity(q) - kd_.cwiseProduct(qd);
    }
    Values error = desired_.q - q;
    for (Eigen::Index k = 0; k < error.size(); ++k) {
      const Joint & joint = *driven_[static_cast<std::size_t>(k)];
      if (joint.turns && !joint.bounded) {
        error(k) = std::remainder(error(k), 6.283185307179586);
      }
    }
    const Values acceleration =
      desired_.qdd + kp_.cwiseProduct(error) + kd_.cwiseProduct(desired_.qd - qd);
    const Values tau = dynamics.torques(q, qd, acceleration);
    return friction_ ? Values(tau + dynamics.friction(desired_.qd)) : tau;
  }

  Values limited(Values tau) const
  {
    for (Eigen::Index k = 0; k < tau.size(); ++k) {
      const double most = driven_[static_cast<std::size_t>(k)]->effort;
      if (most > 0.0) {
        tau(k) = std::clamp(tau(k), -most, most);
      }
    }
    return tau;
  }

  /// Take the first point of a trajectory; joints that it does not name keep their desired position.
  void take(const Message & message)
  {
    if (message.points.empty()) {
      return;
    }
    const auto & point = message.points.front();
    const auto entry = [](const auto & values, std::size_t k) {return k < values.size() ? values[k] : 0.0;};
    const std::lock_guard<std::mutex> lock(mutex_);
    Motion motion = waiting_;
    for (std::size_t k = 0; k < message.joint_names.size(); ++k) {
      const auto found = std::find(map_.names().begin(), map_.names().end(), message.joint_names[k]);
      if (found == map_.names().end() || k >= point.positions.size()) {
        RCLCPP_ERROR(
          get_node()->get_logger(), "reference: unknown joint or missing position '%s'", message.joint_names[k].c_str());
        return;
      }
      const Eigen::Index place = static_cast<Eigen::Index>(found - map_.names().begin());
      motion.q(place) = point.positions[k];
      motion.qd(place) = entry(point.velocities, k);
      motion.qdd(place) = entry(point.accelerations, k);
    }
    if (motion.q.allFinite() && motion.qd.allFinite() && motion.qdd.allFinite()) {
      waiting_ = motion;
    }
  }

  bool gains(const std::string & name, Values & gain)
  {
    const std::vector<double> values = get_node()->get_parameter(name).as_double_array();
    const Eigen::Index count = static_cast<Eigen::Index>(map_.size());
    gain = Values::Zero(count);
    const bool missing = values.empty() && !follows_;
    if (!missing && values.size() != map_.size()) {
      RCLCPP_ERROR(
        get_node()->get_logger(), "%s: expected %zu values, one per joint, found %zu", name.c_str(), map_.size(),
        values.size());
      return false;
    }
    if (!missing) {
      gain = Eigen::Map<const Values>(values.data(), count);
    }
    return true;
  }

  std::vector<std::string> interfaces(const std::vector<std::string> & kinds) const
  {
    std::vector<std::string> names;
    for (const std::string & joint : map_.names()) {
      for (const std::string & kind : kinds) {
        names.push_back(joint + "/" + kind);
      }
    }
    return names;
  }

  template<typename Interfaces>
  static int find(const Interfaces & interfaces, const std::string & name)
  {
    for (std::size_t k = 0; k < interfaces.size(); ++k) {
      if (interfaces[k].get_prefix_name() + "/" + interfaces[k].get_interface_name() == name) {
        return static_cast<int>(k);
      }
    }
    return -1;
  }

  template<typename Interfaces>
  static Values read(const Interfaces & interfaces, const std::vector<int> & places)
  {
    Values values(static_cast<Eigen::Index>(places.size()));
    for (std::size_t k = 0; k < places.size(); ++k) {
      values(static_cast<Eigen::Index>(k)) = value_of(interfaces[static_cast<std::size_t>(places[k])], 0);
    }
    return values;
  }

  void command(const Values & tau)
  {
    for (std::size_t k = 0; k < efforts_.size(); ++k) {
      static_cast<void>(
        command_interfaces_[static_cast<std::size_t>(efforts_[k])].set_value(tau(static_cast<Eigen::Index>(k))));
    }
  }

  JointMap map_;
  std::vector<const Joint *> driven_;
  bool follows_ = false, friction_ = false;
  Values kp_, kd_;
  std::vector<int> positions_, velocities_, efforts_;  // places of the interfaces
  std::mutex mutex_;
  Motion desired_, waiting_;  // the second one is guarded by the mutex
  typename rclcpp::Subscription<Message>::SharedPtr reference_;
};

}  // namespace ROBOT_PACKAGE

PLUGINLIB_EXPORT_CLASS(ROBOT_PACKAGE::EffortController, controller_interface::ControllerInterface)
