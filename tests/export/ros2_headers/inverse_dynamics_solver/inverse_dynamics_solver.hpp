#pragma once
#include <Eigen/Core>
#include <string>
#include <tuple>
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
namespace inverse_dynamics_solver
{
class InverseDynamicsSolver
{
public:
  virtual ~InverseDynamicsSolver() {}
  virtual void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr = nullptr, const std::string & = "",
    const std::string & = "") = 0;
  virtual std::tuple<Eigen::MatrixXd, Eigen::VectorXd, Eigen::VectorXd> getDynamicParameters(
    const Eigen::VectorXd & q, const Eigen::VectorXd & qd) const
  {
    return {getInertiaMatrix(q), getCoriolisVector(q, qd), getGravityVector(q)};
  }
  virtual Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd &) const = 0;
  virtual Eigen::VectorXd getCoriolisVector(const Eigen::VectorXd &, const Eigen::VectorXd &) const = 0;
  virtual Eigen::VectorXd getGravityVector(const Eigen::VectorXd &) const = 0;
  virtual Eigen::VectorXd getFrictionVector(const Eigen::VectorXd &) const = 0;
  virtual Eigen::VectorXd getTorques(
    const Eigen::VectorXd & q, const Eigen::VectorXd & qd, const Eigen::VectorXd & qdd) const
  {
    return getInertiaMatrix(q) * qdd + getCoriolisVector(q, qd) + getGravityVector(q);
  }

protected:
  InverseDynamicsSolver() {}
};
}  // namespace inverse_dynamics_solver
