#ifndef ROBOT_PACKAGE__MODEL_HPP_
#define ROBOT_PACKAGE__MODEL_HPP_

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <string>
#include <vector>

#include "ROBOT_PACKAGE/robot.hpp"

namespace ROBOT_PACKAGE
{

/// Numbers of joints: in storage of fixed size, so that control loops allocate nothing.
using Values = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kJoints, 1>;
using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kJoints, kJoints>;
using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, kJoints>;

/// Pose of a frame with three axes and an origin.
Eigen::Isometry3d transform_of(const double (&T)[16]);

/// Names of all joints, in the order of the generated functions.
std::vector<std::string> joint_names();

/// Names of all joints that follow no other joint.
std::vector<std::string> free_joint_names();

/// Names of the joints between two links, in the order of the chain; empty if the first does not carry the second.
std::vector<std::string> chain_joint_names(const Link & base, const Link & tip);

/// Index of a joint.
/// \throws std::invalid_argument if the robot has no such joint
std::size_t joint_index(const std::string & name);

/// The link of that name, or nullptr.
const Link * find_link(const std::string & name);

/// Names of all links, for messages.
std::string link_names();

/// Pose of a link in the root frame.
Eigen::Isometry3d link_pose(const Link & link, const Values & q);

/// Jacobian matrix of a link in the root frame: linear velocity of its origin, then angular velocity.
Jacobian link_jacobian(const Link & link, const Values & q);

/// Joints given by name in any order, as the joints of the generated functions.
///
/// A joint that follows another one moves with it; other joints that are not given are at rest at zero. The positions
/// are q = matrix * given + offset, and efforts of the given joints are the transpose of the matrix times those of all.
class JointMap
{
public:
  JointMap() = default;

  /// \throws std::invalid_argument if a name is unknown, appears twice, or names a joint that follows a given one
  explicit JointMap(const std::vector<std::string> & names);

  std::size_t size() const {return names_.size();}
  const std::vector<std::string> & names() const {return names_;}

  Values positions(const Values & given) const {return matrix_ * given + offset_;}
  Values rates(const Values & given) const {return matrix_ * given;}
  Values efforts(const Values & all) const {return matrix_.transpose() * all;}
  const Square & matrix() const {return matrix_;}

private:
  std::vector<std::string> names_;
  Square matrix_;
  Values offset_;
};

/// Equations of motion of the joints of a map, which must outlive this object; positions in rad or m, efforts in N m or N.
class Dynamics
{
public:
  explicit Dynamics(const JointMap & map)
  : map_(map) {}

  Values torques(
    const Values & q, const Values & qd, const Values & qdd) const;
  Values gravity(const Values & q) const;
  /// Centrifugal and Coriolis efforts.
  Values coriolis(const Values & q, const Values & qd) const;
  Square inertia(const Values & q) const;
  /// \throws std::runtime_error if friction depends on the load of the joints
  Values friction(const Values & qd) const;

private:
  const JointMap & map_;
};

}  // namespace ROBOT_PACKAGE

#endif  // ROBOT_PACKAGE__MODEL_HPP_
