#ifndef ROBOT_PACKAGE__ROBOT_HPP_
#define ROBOT_PACKAGE__ROBOT_HPP_

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <vector>

ROBOT_HEADERS

namespace ROBOT_PACKAGE
{

constexpr int kJoints = ROBOT_JOINTS;
constexpr int kLinks = ROBOT_LINKS;

struct Joint
{
  const char * name;
  int parent;  // the next joint toward the base, or -1
  bool turns;  // an angle, not a length
  bool bounded;
  double lower, upper;  // of the position, if it is bounded
  double effort;  // the most, or 0 if it is unknown
  int leader;  // the joint that this one follows, or -1
  double ratio, offset;  // position = ratio * that of the leader + offset
};

struct Link
{
  const char * name;
  int joint;  // the last joint that moves it, or -1
  void (*pose)(const double * q, double * T);
  void (*jacobian)(const double * q, double * J);  // nullptr if no joint moves the link
};

const std::array<Joint, kJoints> & joints();
const std::array<Link, kLinks> & links();  // the root first

/// Efforts against friction at velocities; false if they are not functions of the velocities alone.
bool friction_efforts(const double * qd, double * efforts);
bool has_friction_efforts();

/// Solutions of the inverse geometric model, unconfirmed; an empty list if the robot has no such model.
std::vector<Eigen::VectorXd> candidates(const double * T, double free);

}  // namespace ROBOT_PACKAGE

#endif  // ROBOT_PACKAGE__ROBOT_HPP_
