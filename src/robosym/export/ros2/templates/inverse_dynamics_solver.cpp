#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/parameter.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ROBOT_PACKAGE/model.hpp"

namespace ROBOT_PACKAGE
{

/// Dynamic model of the robot. Vectors have the order of the parameter `joints`, a list of names.
class InverseDynamicsSolver : public inverse_dynamics_solver::InverseDynamicsSolver
{
public:
  void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters = nullptr,
    const std::string & param_namespace = "", const std::string & robot_description = "") override
  {
    (void)robot_description;
    std::vector<std::string> names = free_joint_names();
    const std::string key = param_namespace.empty() ? "joints" : param_namespace + ".joints";
    if (parameters && parameters->has_parameter(key)) {
      names = parameters->get_parameter(key).as_string_array();
    }
    map_ = JointMap(names);
    ready_ = true;
  }

  Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd & q) const override
  {
    check(q);
    return Dynamics(map_).inertia(q);
  }

  Eigen::VectorXd getCoriolisVector(const Eigen::VectorXd & q, const Eigen::VectorXd & qd) const override
  {
    check(q);
    check(qd);
    return Dynamics(map_).coriolis(q, qd);
  }

  Eigen::VectorXd getGravityVector(const Eigen::VectorXd & q) const override
  {
    check(q);
    return Dynamics(map_).gravity(q);
  }

  Eigen::VectorXd getFrictionVector(const Eigen::VectorXd & qd) const override
  {
    check(qd);
    return Dynamics(map_).friction(qd);
  }

  Eigen::VectorXd getTorques(
    const Eigen::VectorXd & q, const Eigen::VectorXd & qd, const Eigen::VectorXd & qdd) const override
  {
    check(q);
    check(qd);
    check(qdd);
    return Dynamics(map_).torques(q, qd, qdd);
  }

private:
  void check(const Eigen::VectorXd & given) const
  {
    if (!ready_) {
      throw std::logic_error("ROBOT_PACKAGE: call initialize() first");
    }
    if (static_cast<std::size_t>(given.size()) != map_.size()) {
      throw std::invalid_argument(
              "ROBOT_PACKAGE: expected " + std::to_string(map_.size()) + " values, one per joint, found " +
              std::to_string(given.size()));
    }
  }

  JointMap map_;
  bool ready_ = false;
};

}  // namespace ROBOT_PACKAGE

PLUGINLIB_EXPORT_CLASS(ROBOT_PACKAGE::InverseDynamicsSolver, inverse_dynamics_solver::InverseDynamicsSolver)
