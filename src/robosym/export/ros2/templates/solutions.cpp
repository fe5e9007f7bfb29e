#include "ROBOT_PACKAGE/solutions.hpp"

#include <Eigen/Dense>

#include <cmath>

namespace ROBOT_PACKAGE
{
namespace
{

constexpr double kReached = 1e-9;  // largest error of a solution, in rad and in lengths of the arm (at least 1 m)
constexpr int kRounds = 8;

/// Difference of two poses: position, then rotation vector.
Eigen::Matrix<double, 6, 1> difference(const Eigen::Isometry3d & wanted, const Eigen::Isometry3d & found)
{
  const Eigen::AngleAxisd turn(wanted.rotation() * found.rotation().transpose());
  Eigen::Matrix<double, 6, 1> gap;
  gap << wanted.translation() - found.translation(), turn.axis() * turn.angle();
  return gap;
}

/// Correct rounding errors of a solution by Newton's method; return whether it reaches the pose.
bool confirm(const Eigen::Isometry3d & pose, const JointMap & map, Eigen::VectorXd & solution)
{
  const double bound = kReached * std::max(1.0, pose.translation().norm());
  const Eigen::Index unknown = solution.size() - (is_redundant() ? 1 : 0);
  for (int round = 0; round <= kRounds && solution.allFinite(); ++round) {
    const Eigen::VectorXd q = map.positions(solution);
    const Eigen::Matrix<double, 6, 1> gap = difference(pose, link_pose(solved_link(), q));
    if (gap.norm() <= bound) {
      return true;
    }
    const Eigen::MatrixXd J = link_jacobian(solved_link(), q) * map.matrix().leftCols(unknown);
    solution.head(unknown) += J.completeOrthogonalDecomposition().solve(gap);
  }
  return false;
}

}  // namespace

std::vector<Eigen::VectorXd> solutions_of(const Eigen::Isometry3d & pose, double free)
{
  double T[16];
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> rows(T);
  rows = pose.matrix();
  std::vector<std::string> names;
  for (const std::size_t joint : solved_joints()) {
    names.emplace_back(joints()[joint].name);
  }
  const JointMap map(names);
  std::vector<Eigen::VectorXd> confirmed;
  for (Eigen::VectorXd & solution : candidates(T, free)) {
    if (confirm(pose, map, solution)) {
      confirmed.push_back(solution);
    }
  }
  return confirmed;
}

}  // namespace ROBOT_PACKAGE
