#pragma once
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <string>
#include <vector>
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
namespace kinematics_interface
{
class KinematicsInterface
{
public:
  virtual ~KinematicsInterface() = default;
#ifdef HUMBLE
  virtual bool initialize(
    std::shared_ptr<rclcpp::node_interfaces::NodeParametersInterface>, const std::string & end_effector_name) = 0;
#else
  virtual bool initialize(
    const std::string & robot_description, std::shared_ptr<rclcpp::node_interfaces::NodeParametersInterface>,
    const std::string & param_namespace) = 0;
  virtual bool calculate_jacobian_inverse(
    const Eigen::VectorXd &, const std::string &, Eigen::Matrix<double, Eigen::Dynamic, 6> &) = 0;
  virtual bool calculate_frame_difference(
    Eigen::Matrix<double, 7, 1> &, Eigen::Matrix<double, 7, 1> &, double, Eigen::Matrix<double, 6, 1> &) = 0;
#endif
  virtual bool convert_cartesian_deltas_to_joint_deltas(
    const Eigen::VectorXd &, const Eigen::Matrix<double, 6, 1> &, const std::string &, Eigen::VectorXd &) = 0;
  virtual bool convert_joint_deltas_to_cartesian_deltas(
    const Eigen::VectorXd &, const Eigen::VectorXd &, const std::string &, Eigen::Matrix<double, 6, 1> &) = 0;
  virtual bool calculate_link_transform(const Eigen::VectorXd &, const std::string &, Eigen::Isometry3d &) = 0;
  virtual bool calculate_jacobian(
    const Eigen::VectorXd &, const std::string &, Eigen::Matrix<double, 6, Eigen::Dynamic> &) = 0;
  bool convert_cartesian_deltas_to_joint_deltas(
    std::vector<double> &, const std::vector<double> &, const std::string &, std::vector<double> &);
  bool convert_joint_deltas_to_cartesian_deltas(
    const std::vector<double> &, const std::vector<double> &, const std::string &, std::vector<double> &);
  bool calculate_link_transform(const std::vector<double> &, const std::string &, Eigen::Isometry3d &);
  bool calculate_jacobian(
    const std::vector<double> &, const std::string &, Eigen::Matrix<double, 6, Eigen::Dynamic> &);
};
}  // namespace kinematics_interface
