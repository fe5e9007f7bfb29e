// Pinocchio's inverse dynamics (rnea) on a serial arm of revolute joints, timed from batch_inverse_dynamics.py.
//
// Arguments: a text file with the model, a binary file with the states, a binary file for the torques.
// The model: number of joints, gravity (3), then for each joint its placement in the parent (rotation row by row,
// translation), mass, centre of mass (3), inertia at the centre of mass (xx xy yy xz yz zz) and armature.
// The states: for each state q, v, a as doubles. Each line on standard input runs all states once and answers with
// the nanoseconds that one took; the torques of the last run are written when the input ends.

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
  if (argc != 4) return 2;
  const pin::Model model = read_model(argv[1]);
  pin::Data data(model);
  const int n = model.nv;

  std::ifstream in(argv[2], std::ios::binary | std::ios::ate);
  std::vector<double> states(static_cast<std::size_t>(in.tellg()) / sizeof(double));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(states.data()), static_cast<std::streamsize>(states.size() * sizeof(double)));
  const std::size_t count = states.size() / (3 * n);

  // each vector in its own aligned storage, as a program that calls Pinocchio state by state would hold them
  std::vector<Eigen::VectorXd> q(count), v(count), a(count), tau(count, Eigen::VectorXd(n));
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Map<const Eigen::VectorXd> state(&states[i * 3 * n], 3 * n);
    q[i] = state.head(n);
    v[i] = state.segment(n, n);
    a[i] = state.tail(n);
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) tau[i] = pin::rnea(model, data, q[i], v[i], a[i]);
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    std::cout << elapsed.count() / static_cast<double>(count) << std::endl;
  }
  std::ofstream out(argv[3], std::ios::binary);
  for (const auto& t : tau) out.write(reinterpret_cast<const char*>(t.data()), n * static_cast<std::streamsize>(sizeof(double)));
}
