#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>
#include "geometry_msgs/msg/pose.hpp"
#include "moveit_msgs/msg/move_it_error_codes.hpp"
#include "rclcpp/node.hpp"
namespace moveit::core
{
class JointModelGroup;
class RobotModel;
class RobotState;
}  // namespace moveit::core
namespace kinematics
{
namespace DiscretizationMethods
{
enum DiscretizationMethod {NO_DISCRETIZATION = 1, ALL_DISCRETIZED, SOME_DISCRETIZED, ALL_RANDOM_SAMPLED, SOME_RANDOM_SAMPLED};
}
using DiscretizationMethod = DiscretizationMethods::DiscretizationMethod;
namespace KinematicErrors
{
enum KinematicError
{
  OK = 1, UNSUPORTED_DISCRETIZATION_REQUESTED, DISCRETIZATION_NOT_INITIALIZED, MULTIPLE_TIPS_NOT_SUPPORTED,
  EMPTY_TIP_POSES, IK_SEED_OUTSIDE_LIMITS, SOLVER_NOT_ACTIVE, NO_SOLUTION
};
}
using KinematicError = KinematicErrors::KinematicError;
struct KinematicsQueryOptions
{
  bool lock_redundant_joints = false;
  bool return_approximate_solution = false;
  DiscretizationMethod discretization_method = DiscretizationMethods::NO_DISCRETIZATION;
};
struct KinematicsResult
{
  KinematicError kinematic_error = KinematicErrors::OK;
  double solution_percentage = 0.0;
};
class KinematicsBase
{
public:
  using Pose = geometry_msgs::msg::Pose;
  using IKCallbackFn = std::function<void(const Pose &, const std::vector<double> &, moveit_msgs::msg::MoveItErrorCodes &)>;
  using IKCostFn = std::function<double(const Pose &, const moveit::core::RobotState &, const moveit::core::JointModelGroup *,
      const std::vector<double> &)>;
  virtual bool getPositionIK(
    const Pose &, const std::vector<double> &, std::vector<double> &, moveit_msgs::msg::MoveItErrorCodes &,
    const KinematicsQueryOptions & = KinematicsQueryOptions()) const = 0;
  virtual bool getPositionIK(
    const std::vector<Pose> &, const std::vector<double> &, std::vector<std::vector<double>> &, KinematicsResult &,
    const KinematicsQueryOptions &) const {return false;}
  virtual bool searchPositionIK(
    const Pose &, const std::vector<double> &, double, std::vector<double> &, moveit_msgs::msg::MoveItErrorCodes &,
    const KinematicsQueryOptions & = KinematicsQueryOptions()) const = 0;
  virtual bool searchPositionIK(
    const Pose &, const std::vector<double> &, double, const std::vector<double> &, std::vector<double> &,
    moveit_msgs::msg::MoveItErrorCodes &, const KinematicsQueryOptions & = KinematicsQueryOptions()) const = 0;
  virtual bool searchPositionIK(
    const Pose &, const std::vector<double> &, double, std::vector<double> &, const IKCallbackFn &,
    moveit_msgs::msg::MoveItErrorCodes &, const KinematicsQueryOptions & = KinematicsQueryOptions()) const = 0;
  virtual bool searchPositionIK(
    const Pose &, const std::vector<double> &, double, const std::vector<double> &, std::vector<double> &,
    const IKCallbackFn &, moveit_msgs::msg::MoveItErrorCodes &,
    const KinematicsQueryOptions & = KinematicsQueryOptions()) const = 0;
  virtual bool searchPositionIK(
    const std::vector<Pose> & poses, const std::vector<double> & seed, double timeout,
    const std::vector<double> & consistency, std::vector<double> & solution, const IKCallbackFn & callback,
    moveit_msgs::msg::MoveItErrorCodes & error, const KinematicsQueryOptions & options = KinematicsQueryOptions(),
    const moveit::core::RobotState * = nullptr) const
  {
    return poses.size() == 1 && searchPositionIK(poses[0], seed, timeout, consistency, solution, callback, error, options);
  }
  virtual bool getPositionFK(
    const std::vector<std::string> &, const std::vector<double> &, std::vector<Pose> &) const = 0;
  virtual bool initialize(
    const rclcpp::Node::SharedPtr &, const moveit::core::RobotModel &, const std::string &, const std::string &,
    const std::vector<std::string> &, double) {return false;}
  virtual bool setRedundantJoints(const std::vector<unsigned int> &) {return false;}
  bool setRedundantJoints(const std::vector<std::string> & names)
  {
    std::vector<unsigned int> indices;
    for (const std::string & name : names) {
      for (unsigned int k = 0; k < getJointNames().size(); ++k) {
        if (getJointNames()[k] == name) {
          indices.push_back(k);
        }
      }
    }
    return indices.size() == names.size() && setRedundantJoints(indices);
  }
  virtual const std::vector<std::string> & getJointNames() const = 0;
  virtual const std::vector<std::string> & getLinkNames() const = 0;
  virtual ~KinematicsBase() = default;

protected:
  rclcpp::Node::SharedPtr node_;
  std::string group_name_, base_frame_;
  std::vector<std::string> tip_frames_;
  std::vector<unsigned int> redundant_joint_indices_;
  std::map<int, double> redundant_joint_discretization_;
  std::vector<DiscretizationMethod> supported_methods_{DiscretizationMethods::NO_DISCRETIZATION};
  void storeValues(
    const moveit::core::RobotModel &, const std::string & group, const std::string & base,
    const std::vector<std::string> & tips, double)
  {
    group_name_ = group;
    base_frame_ = base;
    tip_frames_ = tips;
  }
};
}  // namespace kinematics
