// Loads the plugins of a generated package and calls them with the numbers on standard input, for comparison.
#define EIGEN_RUNTIME_NO_MALLOC
#include "inverse_dynamics_solver.cpp"
#include "kinematics_interface.cpp"
#ifdef WITH_MOVEIT
#include "moveit_kinematics.cpp"
#include "solutions.cpp"
#include "candidates.cpp"
#endif
#include "controller.cpp"
#include "model.cpp"
#include "robot.cpp"

#include <iostream>

using Eigen::VectorXd;
namespace package = PACKAGE;
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

template<typename Base>
std::unique_ptr<Base> plugin(const std::string & name)
{
  return std::unique_ptr<Base>(static_cast<Base *>(pluginlib::plugins().at(TEXT(PACKAGE) "::" + name)()));
}

static std::string word()
{
  std::string text;
  std::cin >> text;
  return text;
}

static VectorXd numbers(std::size_t count)
{
  VectorXd values(static_cast<Eigen::Index>(count));
  for (double & value : values) {
    std::cin >> value;
  }
  return values;
}

static std::vector<double> listed(const VectorXd & values) {return {values.begin(), values.end()};}

static std::vector<std::string> words()
{
  std::vector<std::string> found(std::stoul(word()));
  for (std::string & text : found) {
    text = word();
  }
  return found;
}

template<typename Matrix>
void print(const Matrix & matrix)
{
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      std::printf("%.17g ", matrix(i, j));
    }
  }
}

static void dynamics()
{
  auto solver = plugin<inverse_dynamics_solver::InverseDynamicsSolver>("InverseDynamicsSolver");
  auto parameters = std::make_shared<rclcpp::node_interfaces::NodeParametersInterface>();
  const auto names = words();
  if (!names.empty()) {
    parameters->values["dynamics.joints"] = names;
  }
  solver->initialize(parameters, "dynamics");
  const std::size_t n = names.empty() ? package::free_joint_names().size() : names.size();
  const VectorXd q = numbers(n), qd = numbers(n), qdd = numbers(n);
  print(solver->getInertiaMatrix(q));
  print(solver->getCoriolisVector(q, qd));
  print(solver->getGravityVector(q));
  print(solver->getFrictionVector(qd));
  print(solver->getTorques(q, qd, qdd));
}

static void kinematics_of_links()
{
  auto solver = plugin<kinematics_interface::KinematicsInterface>("KinematicsInterface");
  auto parameters = std::make_shared<rclcpp::node_interfaces::NodeParametersInterface>();
  const std::string base = word(), tip = word(), link = word();
  const auto names = words();
  parameters->values["kin.base"] = base;
  parameters->values["base"] = base;
  parameters->values["kin.tip"] = tip;
  parameters->values["kin.joints"] = names;
  parameters->values["joints"] = names;
  parameters->values["kin.alpha"] = 1e-12;
  parameters->values["alpha"] = 1e-12;
#ifdef HUMBLE
  const bool started = solver->initialize(parameters, tip);
#else
  const bool started = solver->initialize("", parameters, "kin");
#endif
  const VectorXd q = numbers(names.size());
  Eigen::Isometry3d T;
  Eigen::Matrix<double, 6, Eigen::Dynamic> J(6, q.size());
  Eigen::Matrix<double, 6, 1> step = Eigen::Matrix<double, 6, 1>::Constant(0.1), back;
  VectorXd delta(q.size()), wrong(q.size() + 1);
  if (!started || !solver->calculate_link_transform(q, link, T) || !solver->calculate_jacobian(q, link, J) ||
    !solver->convert_cartesian_deltas_to_joint_deltas(q, step, link, delta) ||
    !solver->convert_joint_deltas_to_cartesian_deltas(q, delta, link, back) ||
    solver->calculate_link_transform(wrong, link, T) || solver->calculate_jacobian(q, "nothing", J))
  {
    std::printf("failed");
    return;
  }
  print(T.matrix());
  print(J);
  print(back);
}

#ifdef WITH_MOVEIT
static void inverse_kinematics()
{
  auto solver = plugin<kinematics::KinematicsBase>("MoveItKinematics");
  const std::string base = word(), tip = word();
  moveit::core::RobotModel robot;
  const auto names = words();
  robot.groups["arm"].names = names;
  for (const std::string & name : names) {
    const VectorXd limits = numbers(2);
    robot.bounds[name] = {limits(0), limits(1), limits(0) < limits(1)};
  }
  const VectorXd given = numbers(7), seed = numbers(names.size());
  const bool every = word() == "every";
  if (!solver->initialize(std::make_shared<rclcpp::Node>(), robot, "arm", base, {tip}, 0.1)) {
    std::printf("failed");
    return;
  }
  geometry_msgs::msg::Pose pose;
  pose.position = {given(0), given(1), given(2)};
  pose.orientation = {given(3), given(4), given(5), given(6)};
  std::vector<std::vector<double>> all;
  kinematics::KinematicsResult result;
  kinematics::KinematicsQueryOptions options;
  options.discretization_method =
    every ? kinematics::DiscretizationMethods::ALL_DISCRETIZED : kinematics::DiscretizationMethods::NO_DISCRETIZATION;
  solver->getPositionIK({pose}, listed(seed), all, result, options);
  moveit_msgs::msg::MoveItErrorCodes error;
  std::vector<double> nearest;
  const bool solved = solver->searchPositionIK(pose, listed(seed), 1.0, nearest, error);
  // a check for collisions that rejects the nearest solution
  std::vector<double> second;
  int calls = 0;
  solver->searchPositionIK(
    pose, listed(seed), 1.0, second,
    [&calls](const auto &, const auto &, auto & code) {code.val = ++calls < 2 ? -12 : code.SUCCESS;}, error);
  std::printf("%zu %d %d ", all.size(), solved, error.val);
  for (const auto & values : all) {
    print(Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
  }
  print(Eigen::Map<const VectorXd>(nearest.data(), static_cast<Eigen::Index>(nearest.size())));
  print(Eigen::Map<const VectorXd>(second.data(), static_cast<Eigen::Index>(second.size())));
  std::vector<geometry_msgs::msg::Pose> poses;
  if (solved && solver->getPositionFK({tip}, nearest, poses)) {
    const auto & p = poses[0];
    std::printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g", p.position.x, p.position.y, p.position.z,
      p.orientation.x, p.orientation.y, p.orientation.z, p.orientation.w);
  }
}
#endif

static void control()
{
  auto controller = plugin<controller_interface::ControllerInterface>("EffortController");
  const std::string mode = word();
  const auto names = words();
  const std::size_t n = names.size();
  controller->on_init();
  auto & values = controller->get_node()->parameters.values;
  values["mode"] = mode;
  values["joints"] = names;
  values["kp"] = listed(numbers(n));
  values["kd"] = listed(numbers(n));
  VectorXd q = numbers(n), qd = numbers(n), tau = VectorXd::Zero(q.size());
  const rclcpp_lifecycle::State state;
  std::vector<hardware_interface::LoanedStateInterface> states;
  std::vector<hardware_interface::LoanedCommandInterface> commands;
  for (std::size_t k = n; k-- > 0; ) {  // in another order than the names
    const Eigen::Index i = static_cast<Eigen::Index>(k);
    states.emplace_back(names[k], "velocity", &qd(i));
    states.emplace_back(names[k], "position", &q(i));
    commands.emplace_back(names[k], "effort", &tau(i));
  }
  using controller_interface::CallbackReturn;
  const bool configured = controller->on_configure(state) == CallbackReturn::SUCCESS;
  controller->assign_interfaces(std::move(commands), std::move(states));
  if (!configured || controller->on_activate(state) != CallbackReturn::SUCCESS ||
    controller->state_interface_configuration().names.size() != 2 * n)
  {
    std::printf("failed");
    return;
  }
  auto message = std::make_shared<trajectory_msgs::msg::JointTrajectory>();
  message->joint_names = words();
  const std::size_t m = message->joint_names.size();
  message->points.resize(m > 0 ? 1 : 0);
  if (m > 0) {
    message->points[0].positions = listed(numbers(m));
    message->points[0].velocities = listed(numbers(m));
    message->points[0].accelerations = listed(numbers(m));
  }
  using Topic = std::shared_ptr<rclcpp::Subscription<trajectory_msgs::msg::JointTrajectory>>;
  std::any_cast<Topic>(controller->get_node()->subscriptions.at("~/reference"))->callback(message);
  const rclcpp::Time time;
  const rclcpp::Duration period{std::chrono::milliseconds(1)};
  Eigen::internal::set_is_malloc_allowed(false);  // the control loop allocates nothing
  const bool held = controller->update(time, period) == controller_interface::return_type::OK;
  Eigen::internal::set_is_malloc_allowed(true);
  print(tau);
  q(0) = std::nan("");
  std::printf("%d %d ", held, controller->update(time, period) == controller_interface::return_type::ERROR);
  print(tau);
}

int main()
{
  for (std::string what = word(); !what.empty(); what = word()) {
    try {
      if (what == "dynamics") {
        dynamics();
      } else if (what == "kinematics") {
        kinematics_of_links();
#ifdef WITH_MOVEIT
      } else if (what == "inverse_kinematics") {
        inverse_kinematics();
#endif
      } else if (what == "control") {
        control();
      }
    } catch (const std::exception & error) {
      std::printf("error: %s", error.what());
    }
    std::printf("\n");
  }
  return 0;
}
