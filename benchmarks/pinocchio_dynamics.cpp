// Pinocchio's rnea, aba, crba, regressor and derivatives of rnea on a serial arm of revolute joints, timed from
// pinocchio_cpp.py.
//
// Arguments: the algorithm, a text file with the model, a binary file with the states, a binary file for the results.
// The model: number of joints, gravity (3), then for each joint its placement in the parent (rotation row by row,
// translation), mass, centre of mass (3), inertia at the centre of mass (xx xy yy xz yz zz) and armature.
// The states: for each state q, v and a (rnea) or tau (aba) as doubles. Each line on standard input runs all states once
// and answers with the nanoseconds that one took; the results of the last run are written when the input ends: torques,
// accelerations, or matrices column by column (the whole symmetric one; the derivatives by q and by v side by side).

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace pin = pinocchio;

static pin::Model read_model(const char* path) {
  std::ifstream in(path);
  int joints = 0;
  in >> joints;
  pin::Model model;
  Eigen::Vector3d gravity;
  in >> gravity[0] >> gravity[1] >> gravity[2];
  model.gravity.linear(gravity);
  pin::JointIndex parent = 0;
  for (int j = 0; j < joints; ++j) {
    Eigen::Matrix3d rotation;
    Eigen::Vector3d translation, com;
    double mass, xx, xy, yy, xz, yz, zz, armature;
    for (int k = 0; k < 9; ++k) in >> rotation(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) in >> translation[k];
    in >> mass >> com[0] >> com[1] >> com[2] >> xx >> xy >> yy >> xz >> yz >> zz >> armature;
    parent = model.addJoint(parent, pin::JointModelRZ(), pin::SE3(rotation, translation), "joint" + std::to_string(j));
    model.appendBodyToJoint(parent, pin::Inertia(mass, com, pin::Symmetric3(xx, xy, yy, xz, yz, zz)),
                            pin::SE3::Identity());
    model.armature[j] = armature;
  }
  return model;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::string algorithm = argv[1];
  const pin::Model model = read_model(argv[2]);
  pin::Data data(model);
  const int n = model.nv;

  std::ifstream in(argv[3], std::ios::binary | std::ios::ate);
  std::vector<double> states(static_cast<std::size_t>(in.tellg()) / sizeof(double));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(states.data()), static_cast<std::streamsize>(states.size() * sizeof(double)));
  const std::size_t count = states.size() / (3 * n);

  // each vector in its own aligned storage, as a program that calls Pinocchio state by state would hold them
  std::vector<Eigen::VectorXd> q(count), v(count), a(count);
  const int columns = algorithm == "crba" ? n : algorithm == "regressor" ? 10 * n : algorithm == "derivatives" ? 2 * n : 1;
  std::vector<Eigen::MatrixXd> result(count, Eigen::MatrixXd(n, columns));
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Map<const Eigen::VectorXd> state(&states[i * 3 * n], 3 * n);
    q[i] = state.head(n);
    v[i] = state.segment(n, n);
    a[i] = state.tail(n);
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto start = std::chrono::steady_clock::now();
    if (algorithm == "rnea") {
      for (std::size_t i = 0; i < count; ++i) result[i] = pin::rnea(model, data, q[i], v[i], a[i]);
    } else if (algorithm == "aba") {
      for (std::size_t i = 0; i < count; ++i) result[i] = pin::aba(model, data, q[i], v[i], a[i]);
    } else if (algorithm == "regressor") {
      for (std::size_t i = 0; i < count; ++i) {
        result[i] = pin::computeJointTorqueRegressor(model, data, q[i], v[i], a[i]);
      }
    } else if (algorithm == "derivatives") {
      for (std::size_t i = 0; i < count; ++i) {
        pin::computeRNEADerivatives(model, data, q[i], v[i], a[i]);
        result[i].leftCols(n) = data.dtau_dq;
        result[i].rightCols(n) = data.dtau_dv;
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) result[i] = pin::crba(model, data, q[i]);
    }
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    std::cout << elapsed.count() / static_cast<double>(count) << std::endl;
  }
  std::ofstream out(argv[4], std::ios::binary);
  for (auto& r : result) {
    if (algorithm == "crba") r.triangularView<Eigen::StrictlyLower>() = r.transpose().triangularView<Eigen::StrictlyLower>();
    out.write(reinterpret_cast<const char*>(r.data()), r.size() * static_cast<std::streamsize>(sizeof(double)));
  }
}
