#include <Eigen/Dense>
#include <kinematics_interface/kinematics_interface.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <rclcpp/parameter.hpp>

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "ROBOT_PACKAGE/model.hpp"

namespace ROBOT_PACKAGE
{

/// Poses and Jacobian matrices of all links, in the base frame.
///
/// Parameters, below the namespace of the plugin: `tip`, `base` (default: the root link), `joints` (names of the joints
/// in the order of the vectors; default: those of the chain from base to tip) and `alpha` (damping of the inverse).
/// Both signatures of `initialize` are here: that of ROS 2 Humble and that of later distributions.
class KinematicsInterface : public kinematics_interface::KinematicsInterface
{
public:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Vector7 = Eigen::Matrix<double, 7, 1>;
  using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;
  using Inverse = Eigen::Matrix<double, Eigen::Dynamic, 6>;
  using Parameters = std::shared_ptr<rclcpp::node_interfaces::NodeParametersInterface>;
  using Base = kinematics_interface::KinematicsInterface;
  using Base::convert_cartesian_deltas_to_joint_deltas;
  using Base::convert_joint_deltas_to_cartesian_deltas;
  using Base::calculate_link_transform;
  using Base::calculate_jacobian;

  virtual bool initialize(
    const std::string & robot_description, Parameters parameters, const std::string & param_namespace)
  {
    (void)robot_description;
    const std::string prefix = param_namespace.empty() ? "" : param_namespace + ".";
    if (!parameters || !parameters->has_parameter(prefix + "tip")) {
      RCLCPP_ERROR(logger(), "parameter '%stip': expected the name of a link", prefix.c_str());
      return false;
    }
    return start(parameters, prefix, parameters->get_parameter(prefix + "tip").as_string());
  }

  virtual bool initialize(Parameters parameters, const std::string & end_effector_name)
  {
    return start(parameters, "", end_effector_name);
  }

  bool convert_cartesian_deltas_to_joint_deltas(
    const Eigen::VectorXd & joint_pos, const Vector6 & delta_x, const std::string & link_name,
    Eigen::VectorXd & delta_theta) override
  {
    Inverse inverse;
    if (!valid(delta_theta) || !damped_inverse(joint_pos, link_name, inverse)) {
      return false;
    }
    delta_theta = inverse * delta_x;
    return true;
  }

  bool convert_joint_deltas_to_cartesian_deltas(
    const Eigen::VectorXd & joint_pos, const Eigen::VectorXd & delta_theta, const std::string & link_name,
    Vector6 & delta_x) override
  {
    Jacobian jacobian;
    if (!valid(delta_theta) || !jacobian_of(joint_pos, link_name, jacobian)) {
      return false;
    }
    delta_x = jacobian * delta_theta;
    return true;
  }

  bool calculate_link_transform(
    const Eigen::VectorXd & joint_pos, const std::string & link_name, Eigen::Isometry3d & transform) override
  {
    const Link * link = checked(joint_pos, link_name);
    if (link == nullptr) {
      return false;
    }
    const Eigen::VectorXd q = map_.positions(joint_pos);
    transform = link_pose(*base_, q).inverse() * link_pose(*link, q);
    return true;
  }

  bool calculate_jacobian(
    const Eigen::VectorXd & joint_pos, const std::string & link_name, Jacobian & jacobian) override
  {
    if (jacobian.rows() != 6 || jacobian.cols() != static_cast<Eigen::Index>(map_.size())) {
      RCLCPP_ERROR(logger(), "jacobian: expected 6 rows and %zu columns", map_.size());
      return false;
    }
    return jacobian_of(joint_pos, link_name, jacobian);
  }

  /// A virtual function of the base class since ROS 2 Jazzy.
  virtual bool calculate_jacobian_inverse(
    const Eigen::VectorXd & joint_pos, const std::string & link_name, Inverse & jacobian_inverse)
  {
    return damped_inverse(joint_pos, link_name, jacobian_inverse);
  }

  /// A virtual function of the base class since ROS 2 Jazzy: twist from pose a to pose b (x, y, z, quaternion x y z w).
  virtual bool calculate_frame_difference(Vector7 & x_a, Vector7 & x_b, double dt, Vector6 & delta_x)
  {
    const Eigen::Quaterniond a(x_a(6), x_a(3), x_a(4), x_a(5)), b(x_b(6), x_b(3), x_b(4), x_b(5));
    if (base_ == nullptr || !(dt > 0.0) || !(a.norm() > 0.0) || !(b.norm() > 0.0)) {
      return false;
    }
    const Eigen::AngleAxisd turn((b.normalized() * a.normalized().inverse()).normalized());
    delta_x << (x_b.head<3>() - x_a.head<3>()) / dt, turn.axis() * (turn.angle() / dt);
    return true;
  }

private:
  static rclcpp::Logger logger() {return rclcpp::get_logger("ROBOT_PACKAGE.kinematics_interface");}

  bool start(const Parameters & parameters, const std::string & prefix, const std::string & tip_name)
  {
    base_ = nullptr;
    const Link * base = &links().front();
    const Link * tip = find_link(tip_name);
    if (parameters && parameters->has_parameter(prefix + "base")) {
      base = find_link(parameters->get_parameter(prefix + "base").as_string());
    }
    if (tip == nullptr || base == nullptr) {
      RCLCPP_ERROR(logger(), "unknown link as base or tip '%s': expected %s", tip_name.c_str(), link_names().c_str());
      return false;
    }
    try {
      std::vector<std::string> names = chain_joint_names(*base, *tip);
      if (parameters && parameters->has_parameter(prefix + "joints")) {
        names = parameters->get_parameter(prefix + "joints").as_string_array();
      }
      if (names.empty()) {
        RCLCPP_ERROR(logger(), "no joint moves link '%s' relative to the base", tip_name.c_str());
        return false;
      }
      map_ = JointMap(names);
      if (parameters && parameters->has_parameter(prefix + "alpha")) {
        alpha_ = parameters->get_parameter(prefix + "alpha").as_double();
      }
    } catch (const std::exception & error) {
      RCLCPP_ERROR(logger(), "%s", error.what());
      return false;
    }
    base_ = base;
    return true;
  }

  bool valid(const Eigen::VectorXd & given) const
  {
    if (static_cast<std::size_t>(given.size()) == map_.size()) {
      return true;
    }
    RCLCPP_ERROR(
      logger(), "expected %zu values, one per joint, found %ld", map_.size(), static_cast<long>(given.size()));
    return false;
  }

  const Link * checked(const Eigen::VectorXd & joint_pos, const std::string & link_name) const
  {
    if (base_ == nullptr) {
      RCLCPP_ERROR(logger(), "call initialize() first");
      return nullptr;
    }
    const Link * link = find_link(link_name);
    if (link == nullptr) {
      RCLCPP_ERROR(logger(), "unknown link '%s': expected %s", link_name.c_str(), link_names().c_str());
    }
    return valid(joint_pos) ? link : nullptr;
  }

  bool jacobian_of(const Eigen::VectorXd & joint_pos, const std::string & link_name, Jacobian & jacobian) const
  {
    const Link * link = checked(joint_pos, link_name);
    if (link == nullptr) {
      return false;
    }
    // joints that carry the base move the link with it: their columns are those of the relative motion
    const Eigen::VectorXd q = map_.positions(joint_pos);
    const Eigen::Isometry3d from = link_pose(*base_, q), to = link_pose(*link, q);
    Eigen::MatrixXd J = link_jacobian(*link, q);
    const Eigen::MatrixXd J_base = link_jacobian(*base_, q);
    const Eigen::Vector3d arm = to.translation() - from.translation();
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
      const Eigen::Vector3d turn = J_base.block<3, 1>(3, k);
      J.block<3, 1>(0, k) -= J_base.block<3, 1>(0, k) + turn.cross(arm);
      J.block<3, 1>(3, k) -= turn;
    }
    const Eigen::Matrix3d back = from.rotation().transpose();
    jacobian.resize(6, static_cast<Eigen::Index>(map_.size()));
    jacobian.topRows<3>() = back * J.topRows<3>() * map_.matrix();
    jacobian.bottomRows<3>() = back * J.bottomRows<3>() * map_.matrix();
    return true;
  }

  bool damped_inverse(const Eigen::VectorXd & joint_pos, const std::string & link_name, Inverse & inverse) const
  {
    Jacobian J;
    if (!jacobian_of(joint_pos, link_name, J)) {
      return false;
    }
    const Eigen::Matrix<double, 6, 6> damped = J * J.transpose() + alpha_ * Eigen::Matrix<double, 6, 6>::Identity();
    inverse = damped.ldlt().solve(J).transpose();
    return inverse.allFinite();
  }

  JointMap map_;
  const Link * base_ = nullptr;
  double alpha_ = 5e-6;
};

}  // namespace ROBOT_PACKAGE

PLUGINLIB_EXPORT_CLASS(ROBOT_PACKAGE::KinematicsInterface, kinematics_interface::KinematicsInterface)
