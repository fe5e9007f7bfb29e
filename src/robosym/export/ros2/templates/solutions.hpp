#ifndef ROBOT_PACKAGE__SOLUTIONS_HPP_
#define ROBOT_PACKAGE__SOLUTIONS_HPP_

#include <Eigen/Geometry>

#include <vector>

#include "ROBOT_PACKAGE/model.hpp"

namespace ROBOT_PACKAGE
{

/// The link whose pose `inverse_geometry` takes, in the root frame.
const Link & solved_link();

/// Joints that a solution contains, and last the one that is chosen freely, if the arm has a joint more than needed.
const std::vector<std::size_t> & solved_joints();

/// Whether the last entry of solved_joints() is chosen freely.
bool is_redundant();

/// All solutions for a pose of solved_link(), each confirmed by the pose of its joints.
///
/// Rows have the order of solved_joints(). `free` is the value of the joint that is chosen freely.
std::vector<Eigen::VectorXd> solutions_of(const Eigen::Isometry3d & pose, double free = 0.0);

}  // namespace ROBOT_PACKAGE

#endif  // ROBOT_PACKAGE__SOLUTIONS_HPP_
