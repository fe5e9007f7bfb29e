#pragma once
namespace moveit_msgs::msg
{
struct MoveItErrorCodes
{
  int val = 0;
  enum : int {SUCCESS = 1, TIMED_OUT = -6, NO_IK_SOLUTION = -31};
};
}  // namespace moveit_msgs::msg
