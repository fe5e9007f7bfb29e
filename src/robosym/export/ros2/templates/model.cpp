#include "ROBOT_PACKAGE/model.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace ROBOT_PACKAGE
{
namespace
{

using RowMajor = Eigen::Matrix<double, kJoints, kJoints, Eigen::RowMajor>;

std::string listed(const std::vector<std::string> & names)
{
  std::string text;
  for (const std::string & name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

Eigen::Isometry3d transform_of(const double (&T)[16])
{
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.matrix() = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(T);
  return pose;
}

std::vector<std::string> joint_names()
{
  std::vector<std::string> names;
  for (const Joint & joint : joints()) {
    names.emplace_back(joint.name);
  }
  return names;
}

std::vector<std::string> free_joint_names()
{
  std::vector<std::string> names;
  for (const Joint & joint : joints()) {
    if (joint.leader < 0) {
      names.emplace_back(joint.name);
    }
  }
  return names;
}

std::vector<std::string> chain_joint_names(const Link & base, const Link & tip)
{
  std::vector<std::string> names;
  int joint = tip.joint;
  for (; joint >= 0 && joint != base.joint; joint = joints()[static_cast<std::size_t>(joint)].parent) {
    if (joints()[static_cast<std::size_t>(joint)].leader < 0) {
      names.emplace_back(joints()[static_cast<std::size_t>(joint)].name);
    }
  }
  if (joint != base.joint) {
    return {};
  }
  std::reverse(names.begin(), names.end());
  return names;
}

std::size_t joint_index(const std::string & name)
{
  for (std::size_t index = 0; index < joints().size(); ++index) {
    if (name == joints()[index].name) {
      return index;
    }
  }
  throw std::invalid_argument("unknown joint '" + name + "': expected one of " + listed(joint_names()));
}

const Link * find_link(const std::string & name)
{
  for (const Link & link : links()) {
    if (name == link.name) {
      return &link;
    }
  }
  return nullptr;
}

std::string link_names()
{
  std::vector<std::string> names;
  for (const Link & link : links()) {
    names.emplace_back(link.name);
  }
  return listed(names);
}

Eigen::Isometry3d link_pose(const Link & link, const Values & q)
{
  double T[16];
  link.pose(q.data(), T);
  return transform_of(T);
}

Jacobian link_jacobian(const Link & link, const Values & q)
{
  // the generated matrix has a column for each joint that carries the link, from the base on
  std::array<int, kJoints> carriers{};
  Eigen::Index count = 0;
  for (int joint = link.joint; joint >= 0; joint = joints()[static_cast<std::size_t>(joint)].parent) {
    carriers[static_cast<std::size_t>(count++)] = joint;
  }
  Jacobian J = Jacobian::Zero(6, q.size());
  if (count == 0) {
    return J;
  }
  std::array<double, 6 * kJoints> rows{};
  link.jacobian(q.data(), rows.data());
  for (Eigen::Index column = 0; column < count; ++column) {
    for (Eigen::Index row = 0; row < 6; ++row) {
      J(row, carriers[static_cast<std::size_t>(count - 1 - column)]) =
        rows[static_cast<std::size_t>(row * count + column)];
    }
  }
  return J;
}

JointMap::JointMap(const std::vector<std::string> & names)
: names_(names),
  matrix_(Square::Zero(
      static_cast<Eigen::Index>(joints().size()), static_cast<Eigen::Index>(names.size()))),
  offset_(Values::Zero(static_cast<Eigen::Index>(joints().size())))
{
  for (std::size_t place = 0; place < names.size(); ++place) {
    const Eigen::Index row = static_cast<Eigen::Index>(joint_index(names[place]));
    if (!matrix_.row(row).isZero(0.0)) {
      throw std::invalid_argument("joint '" + names[place] + "' appears twice");
    }
    matrix_(row, static_cast<Eigen::Index>(place)) = 1.0;
  }
  const Square given = matrix_;
  for (std::size_t index = 0; index < joints().size(); ++index) {
    Eigen::Index row = static_cast<Eigen::Index>(index);
    double ratio = 1.0;
    double offset = 0.0;
    // a leader may follow another joint: q = ratio * q_leader + offset along the whole sequence
    while (joints()[static_cast<std::size_t>(row)].leader >= 0) {
      const Joint & joint = joints()[static_cast<std::size_t>(row)];
      offset += ratio * joint.offset;
      ratio *= joint.ratio;
      row = joint.leader;
    }
    if (row == static_cast<Eigen::Index>(index)) {
      continue;
    }
    if (!given.row(static_cast<Eigen::Index>(index)).isZero(0.0)) {
      throw std::invalid_argument(
              std::string("joint '") + joints()[index].name + "' follows '" +
              joints()[static_cast<std::size_t>(row)].name + "': leave it out");
    }
    matrix_.row(static_cast<Eigen::Index>(index)) = ratio * given.row(row);
    offset_(static_cast<Eigen::Index>(index)) = offset;
  }
}

Values Dynamics::torques(
  const Values & q, const Values & qd, const Values & qdd) const
{
  Values all(map_.matrix().rows());
  const Values position = map_.positions(q), rate = map_.rates(qd), acceleration = map_.rates(qdd);
  ROBOT_PACKAGE_inverse_dynamics(position.data(), rate.data(), acceleration.data(), all.data());
  return map_.efforts(all);
}

Values Dynamics::gravity(const Values & q) const
{
  Values all(map_.matrix().rows());
  ROBOT_PACKAGE_gravity(map_.positions(q).eval().data(), all.data());
  return map_.efforts(all);
}

Values Dynamics::coriolis(const Values & q, const Values & qd) const
{
  return torques(q, qd, Values::Zero(q.size())) - gravity(q);
}

Square Dynamics::inertia(const Values & q) const
{
  RowMajor all;
  ROBOT_PACKAGE_inertia(map_.positions(q).eval().data(), all.data());
  return map_.matrix().transpose() * all * map_.matrix();
}

Values Dynamics::friction(const Values & qd) const
{
  Values all(map_.matrix().rows());
  if (!friction_efforts(map_.rates(qd).eval().data(), all.data())) {
    throw std::runtime_error("friction is not a function of the velocities alone");
  }
  return map_.efforts(all);
}

}  // namespace ROBOT_PACKAGE
