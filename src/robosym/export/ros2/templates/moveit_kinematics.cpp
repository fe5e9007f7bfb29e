#if __has_include(<moveit/kinematics_base/kinematics_base.hpp>)
#include <moveit/kinematics_base/kinematics_base.hpp>
#include <moveit/robot_model/robot_model.hpp>
#else
#include <moveit/kinematics_base/kinematics_base.h>
#include <moveit/robot_model/robot_model.h>
#endif
#include <pluginlib/class_list_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "ROBOT_PACKAGE/solutions.hpp"

namespace ROBOT_PACKAGE
{

/// Inverse kinematics in closed form: all solutions, those within the limits, the nearest to a seed.
///
/// Vectors have the order of the active joints of the planning group. An arm with one joint more than a pose needs has
/// one redundant joint, whose value is that of the seed or searched outward from it.
class MoveItKinematics : public kinematics::KinematicsBase
{
public:
  using Pose = geometry_msgs::msg::Pose;
  using Errors = moveit_msgs::msg::MoveItErrorCodes;
  using Options = kinematics::KinematicsQueryOptions;
  using Values = std::vector<double>;
  using kinematics::KinematicsBase::searchPositionIK;

  MoveItKinematics()
  {
    supported_methods_.push_back(kinematics::DiscretizationMethods::ALL_DISCRETIZED);
  }

  bool initialize(
    const rclcpp::Node::SharedPtr & node, const moveit::core::RobotModel & robot_model,
    const std::string & group_name, const std::string & base_frame, const std::vector<std::string> & tip_frames,
    double search_discretization) override
  {
    node_ = node;
    ready_ = false;
    storeValues(robot_model, group_name, base_frame, tip_frames, search_discretization);
    const auto * group = robot_model.getJointModelGroup(group_name);
    if (group == nullptr || tip_frames_.size() != 1) {
      RCLCPP_ERROR(logger(), "group '%s': expected a planning group with one tip", group_name.c_str());
      return false;
    }
    return place_ends() && take_joints(robot_model, group->getActiveJointModelNames()) &&
           (ready_ = true);
  }

  bool getPositionIK(
    const Pose & ik_pose, const Values & ik_seed_state, Values & solution, Errors & error_code,
    const Options & options = Options()) const override
  {
    Options locked = options;
    locked.lock_redundant_joints = true;
    return search(ik_pose, ik_seed_state, 0.0, {}, solution, nullptr, error_code, locked);
  }

  bool getPositionIK(
    const std::vector<Pose> & ik_poses, const Values & ik_seed_state, std::vector<Values> & solutions,
    kinematics::KinematicsResult & result, const Options & options) const override
  {
    using kinematics::DiscretizationMethods::ALL_DISCRETIZED;
    using kinematics::DiscretizationMethods::NO_DISCRETIZATION;
    namespace KinematicErrors = kinematics::KinematicErrors;
    solutions.clear();
    result.solution_percentage = 0.0;
    if (ik_poses.size() != 1) {
      result.kinematic_error =
        ik_poses.empty() ? KinematicErrors::EMPTY_TIP_POSES : KinematicErrors::MULTIPLE_TIPS_NOT_SUPPORTED;
      return false;
    }
    const bool every = options.discretization_method == ALL_DISCRETIZED;
    if (!every && options.discretization_method != NO_DISCRETIZATION) {
      result.kinematic_error = KinematicErrors::UNSUPORTED_DISCRETIZATION_REQUESTED;
      return false;
    }
    if (!usable(ik_seed_state)) {
      result.kinematic_error = KinematicErrors::SOLVER_NOT_ACTIVE;
      return false;
    }
    Eigen::Isometry3d target;
    if (target_of(ik_poses.front(), target)) {
      Values tried{redundant_value(ik_seed_state)};
      if (is_redundant() && every && !options.lock_redundant_joints) {
        tried = outward(tried.front());
      }
      for (const double value : tried) {
        for (Values & found : within_limits(target, value, ik_seed_state)) {
          solutions.push_back(std::move(found));
        }
      }
    }
    sort_by_distance(solutions, ik_seed_state);
    result.kinematic_error = solutions.empty() ? KinematicErrors::NO_SOLUTION : KinematicErrors::OK;
    result.solution_percentage = solutions.empty() ? 0.0 : 1.0;
    return !solutions.empty();
  }

  bool searchPositionIK(
    const Pose & ik_pose, const Values & ik_seed_state, double timeout, Values & solution, Errors & error_code,
    const Options & options = Options()) const override
  {
    return search(ik_pose, ik_seed_state, timeout, {}, solution, nullptr, error_code, options);
  }

  bool searchPositionIK(
    const Pose & ik_pose, const Values & ik_seed_state, double timeout, const Values & consistency_limits,
    Values & solution, Errors & error_code, const Options & options = Options()) const override
  {
    return search(ik_pose, ik_seed_state, timeout, consistency_limits, solution, nullptr, error_code, options);
  }

  bool searchPositionIK(
    const Pose & ik_pose, const Values & ik_seed_state, double timeout, Values & solution,
    const IKCallbackFn & solution_callback, Errors & error_code, const Options & options = Options()) const override
  {
    return search(ik_pose, ik_seed_state, timeout, {}, solution, solution_callback, error_code, options);
  }

  bool searchPositionIK(
    const Pose & ik_pose, const Values & ik_seed_state, double timeout, const Values & consistency_limits,
    Values & solution, const IKCallbackFn & solution_callback, Errors & error_code,
    const Options & options = Options()) const override
  {
    return search(
      ik_pose, ik_seed_state, timeout, consistency_limits, solution, solution_callback, error_code, options);
  }

  bool getPositionFK(
    const std::vector<std::string> & names, const Values & joint_angles, std::vector<Pose> & poses) const override
  {
    if (!usable(joint_angles)) {
      return false;
    }
    const Eigen::VectorXd q =
      map_.positions(Eigen::Map<const Eigen::VectorXd>(joint_angles.data(), static_cast<long>(joint_angles.size())));
    poses.clear();
    for (const std::string & name : names) {
      const Link * link = find_link(name);
      if (link == nullptr) {
        RCLCPP_ERROR(logger(), "unknown link '%s': expected %s", name.c_str(), link_names().c_str());
        return false;
      }
      poses.push_back(message_of(root_to_base_ * link_pose(*link, q)));
    }
    return true;
  }

  const std::vector<std::string> & getJointNames() const override {return map_.names();}
  const std::vector<std::string> & getLinkNames() const override {return tip_names_;}

  /// Accepts the joint that the generated solution takes as given, or none.
  bool setRedundantJoints(const std::vector<unsigned int> & indices) override
  {
    for (const unsigned int index : indices) {
      if (!is_redundant() || index != redundant_) {
        return false;
      }
    }
    redundant_joint_indices_ = indices;
    return true;
  }
  using kinematics::KinematicsBase::setRedundantJoints;

private:
  static rclcpp::Logger logger() {return rclcpp::get_logger("ROBOT_PACKAGE.moveit_kinematics");}

  bool place_ends()
  {
    const Link * base = find_link(base_frame_);
    const Link * tip = find_link(tip_frames_.front());
    if (base == nullptr || base->joint >= 0 || tip == nullptr || tip->joint != solved_link().joint) {
      RCLCPP_ERROR(
        logger(), "base '%s' and tip '%s': expected a link fixed to the root, and one fixed to '%s'",
        base_frame_.c_str(), tip_frames_.front().c_str(), solved_link().name);
      return false;
    }
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(joints().size()));
    root_to_base_ = link_pose(*base, rest).inverse();
    tip_to_solved_ = link_pose(*tip, rest).inverse() * link_pose(solved_link(), rest);
    tip_names_ = tip_frames_;
    return true;
  }

  bool take_joints(const moveit::core::RobotModel & robot_model, const std::vector<std::string> & names)
  {
    try {
      map_ = JointMap(names);
    } catch (const std::exception & error) {
      RCLCPP_ERROR(logger(), "group '%s': %s", group_name_.c_str(), error.what());
      return false;
    }
    place_.clear();
    for (const std::size_t joint : solved_joints()) {
      const auto found = std::find(names.begin(), names.end(), joints()[joint].name);
      if (found == names.end()) {
        RCLCPP_ERROR(logger(), "group '%s' lacks joint '%s'", group_name_.c_str(), joints()[joint].name);
        return false;
      }
      place_.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    if (place_.size() != names.size()) {
      RCLCPP_ERROR(logger(), "group '%s' has joints beyond '%s'", group_name_.c_str(), solved_link().name);
      return false;
    }
    redundant_ = static_cast<unsigned int>(place_.back());
    lower_.assign(names.size(), -std::numeric_limits<double>::infinity());
    upper_.assign(names.size(), std::numeric_limits<double>::infinity());
    turns_.assign(names.size(), false);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Joint & joint = joints()[joint_index(names[k])];
      const auto & bounds = robot_model.getVariableBounds(names[k]);
      turns_[k] = joint.turns;
      if (bounds.position_bounded_) {
        lower_[k] = bounds.min_position_;
        upper_[k] = bounds.max_position_;
      }
    }
    return true;
  }

  bool usable(const Values & values) const
  {
    if (!ready_ || values.size() != map_.size()) {
      RCLCPP_ERROR(logger(), "expected an initialized solver and %zu joint values", map_.size());
      return false;
    }
    return true;
  }

  /// The pose of solved_link() in the root frame; false if the message holds no pose.
  bool target_of(const Pose & message, Eigen::Isometry3d & target) const
  {
    const Eigen::Quaterniond turn(
      message.orientation.w, message.orientation.x, message.orientation.y, message.orientation.z);
    const Eigen::Vector3d point(message.position.x, message.position.y, message.position.z);
    if (!point.allFinite() || !turn.coeffs().allFinite() || turn.norm() < 1e-3) {
      return false;
    }
    target = root_to_base_.inverse() * Eigen::Translation3d(point) * turn.normalized() * tip_to_solved_;
    return true;
  }

  static Pose message_of(const Eigen::Isometry3d & pose)
  {
    const Eigen::Quaterniond turn(pose.rotation());
    Pose message;
    message.position.x = pose.translation().x();
    message.position.y = pose.translation().y();
    message.position.z = pose.translation().z();
    message.orientation.x = turn.x();
    message.orientation.y = turn.y();
    message.orientation.z = turn.z();
    message.orientation.w = turn.w();
    return message;
  }

  double redundant_value(const Values & seed) const {return is_redundant() ? seed[redundant_] : 0.0;}

  double step() const
  {
    const auto found = redundant_joint_discretization_.find(static_cast<int>(redundant_));
    const double given = found != redundant_joint_discretization_.end() ? found->second : 0.0;
    return given > 0.0 ? given : 0.05;
  }

  /// Values of the redundant joint within its limits, nearest to the start first.
  Values outward(double start) const
  {
    const double pi = 3.141592653589793;
    const double low = std::isfinite(lower_[redundant_]) ? lower_[redundant_] : start - pi;
    const double high = std::isfinite(upper_[redundant_]) ? upper_[redundant_] : start + pi;
    Values values{start};
    const double size = std::max(step(), 1e-4 * (high - low));
    for (double way = size; start - way >= low || start + way <= high; way += size) {
      for (const double value : {start + way, start - way}) {
        if (value >= low && value <= high) {
          values.push_back(value);
        }
      }
    }
    return values;
  }

  /// Solutions within the limits, in the order of the group; angles are shifted by full turns toward the seed.
  std::vector<Values> within_limits(const Eigen::Isometry3d & target, double free, const Values & seed) const
  {
    std::vector<Values> found;
    for (const Eigen::VectorXd & row : solutions_of(target, free)) {
      Values values(place_.size());
      bool inside = true;
      for (std::size_t k = 0; k < place_.size(); ++k) {
        const std::size_t place = place_[k];
        values[place] = row(static_cast<Eigen::Index>(k));
        if (!is_redundant() || place != redundant_) {
          inside = inside && nearest_turn(place, seed[place], values[place]);
        }
        inside = inside && values[place] >= lower_[place] - 1e-9 && values[place] <= upper_[place] + 1e-9;
      }
      if (inside) {
        found.push_back(values);
      }
    }
    return found;
  }

  /// Shift an angle by full turns: within the limits, and there nearest to the seed.
  bool nearest_turn(std::size_t place, double seed, double & value) const
  {
    if (!turns_[place]) {
      return true;
    }
    const double turn = 6.283185307179586;
    value += turn * std::round((seed - value) / turn);
    if (value < lower_[place] - 1e-9) {
      value += turn * std::ceil((lower_[place] - 1e-9 - value) / turn);
    } else if (value > upper_[place] + 1e-9) {
      value -= turn * std::ceil((value - upper_[place] - 1e-9) / turn);
    }
    return value >= lower_[place] - 1e-9;
  }

  static void sort_by_distance(std::vector<Values> & solutions, const Values & seed)
  {
    const auto distance = [&seed](const Values & values) {
        double sum = 0.0;
        for (std::size_t k = 0; k < values.size(); ++k) {
          sum += (values[k] - seed[k]) * (values[k] - seed[k]);
        }
        return sum;
      };
    std::stable_sort(
      solutions.begin(), solutions.end(),
      [&distance](const Values & a, const Values & b) {return distance(a) < distance(b);});
  }

  static bool consistent(const Values & solution, const Values & seed, const Values & limits)
  {
    for (std::size_t k = 0; k < limits.size() && k < solution.size(); ++k) {
      if (std::abs(solution[k] - seed[k]) > limits[k]) {
        return false;
      }
    }
    return true;
  }

  bool search(
    const Pose & ik_pose, const Values & seed, double timeout, const Values & consistency_limits, Values & solution,
    const IKCallbackFn & callback, Errors & error_code, const Options & options) const
  {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    error_code.val = Errors::NO_IK_SOLUTION;
    Eigen::Isometry3d target;
    if (!usable(seed) || (!consistency_limits.empty() && consistency_limits.size() != seed.size()) ||
      !target_of(ik_pose, target))
    {
      return false;
    }
    Values tried{redundant_value(seed)};
    if (is_redundant() && !options.lock_redundant_joints) {
      tried = outward(tried.front());
    }
    for (const double value : tried) {
      std::vector<Values> found = within_limits(target, value, seed);
      sort_by_distance(found, seed);
      for (const Values & candidate : found) {
        if (!consistent(candidate, seed, consistency_limits)) {
          continue;
        }
        error_code.val = Errors::SUCCESS;
        if (callback) {
          callback(ik_pose, candidate, error_code);
        }
        if (error_code.val == Errors::SUCCESS) {
          solution = candidate;
          return true;
        }
      }
      if (tried.size() > 1 && std::chrono::duration<double>(Clock::now() - start).count() > timeout) {
        error_code.val = Errors::TIMED_OUT;
        return false;
      }
    }
    if (error_code.val == Errors::SUCCESS) {
      error_code.val = Errors::NO_IK_SOLUTION;
    }
    return false;
  }

  JointMap map_;
  bool ready_ = false;
  std::vector<std::size_t> place_;  // in the group, of the joints of a solution
  std::vector<double> lower_, upper_;
  std::vector<bool> turns_;
  unsigned int redundant_ = 0;
  std::vector<std::string> tip_names_;
  Eigen::Isometry3d root_to_base_ = Eigen::Isometry3d::Identity();
  Eigen::Isometry3d tip_to_solved_ = Eigen::Isometry3d::Identity();
};

}  // namespace ROBOT_PACKAGE

PLUGINLIB_EXPORT_CLASS(ROBOT_PACKAGE::MoveItKinematics, kinematics::KinematicsBase)
