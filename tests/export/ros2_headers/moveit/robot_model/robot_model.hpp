#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>
namespace moveit::core
{
struct VariableBounds
{
  double min_position_ = 0.0, max_position_ = 0.0;
  bool position_bounded_ = false;
};
class JointModelGroup
{
public:
  const std::vector<std::string> & getActiveJointModelNames() const {return names;}
  std::vector<std::string> names;
};
class RobotModel
{
public:
  const JointModelGroup * getJointModelGroup(const std::string & name) const
  {
    const auto found = groups.find(name);
    return found == groups.end() ? nullptr : &found->second;
  }
  const VariableBounds & getVariableBounds(const std::string & name) const {return bounds.at(name);}
  std::map<std::string, JointModelGroup> groups;
  std::map<std::string, VariableBounds> bounds;
};
class RobotState {};
}  // namespace moveit::core
