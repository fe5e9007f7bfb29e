// Motor forces of a Gough-Stewart robot by Pinocchio, timed from pinocchio_platform.py.
//
// The tree is six legs (two revolute joints and a prismatic one) and the platform as a free body; the spherical joints
// are constraints. tau = S^T Gamma + J^T lambda, with tau from rnea and J of the constraints, is solved for Gamma.
//
// Arguments: a text file with the model, a binary file with the states, a binary file for the results. The model: gravity
// (3), then for each of 18 joints its placement in the parent (rotation row by row, translation), mass, centre of mass,
// inertia there (xx xy yy xz yz zz) and armature; mass, centre and inertia of the platform; six points on the platform.
// The states: q (25), v (24) and a (24) of each. Each line on standard input runs all states once and answers with the
// nanoseconds that one took; the forces of the last run are written when the input ends.

#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace pin = pinocchio;

static pin::Inertia read_inertia(std::istream& in) {
  double mass, xx, xy, yy, xz, yz, zz;
  Eigen::Vector3d com;
  in >> mass >> com[0] >> com[1] >> com[2] >> xx >> xy >> yy >> xz >> yz >> zz;
  return pin::Inertia(mass, com, pin::Symmetric3(xx, xy, yy, xz, yz, zz));
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream text(argv[1]);
  pin::Model model;
  Eigen::Vector3d gravity;
  text >> gravity[0] >> gravity[1] >> gravity[2];
  model.gravity.linear(gravity);
  std::vector<pin::JointIndex> ends;
  for (int leg = 0; leg < 6; ++leg) {
    pin::JointIndex parent = 0;
    for (int k = 0; k < 3; ++k) {
      Eigen::Matrix3d rotation;
      Eigen::Vector3d translation;
      double armature;
      for (int i = 0; i < 9; ++i) text >> rotation(i / 3, i % 3);
      for (int i = 0; i < 3; ++i) text >> translation[i];
      const pin::Inertia inertia = read_inertia(text);
      text >> armature;
      const pin::SE3 place(rotation, translation);
      const std::string name = "joint" + std::to_string(3 * leg + k);
      parent = k < 2 ? model.addJoint(parent, pin::JointModelRZ(), place, name)
                     : model.addJoint(parent, pin::JointModelPZ(), place, name);
      model.appendBodyToJoint(parent, inertia, pin::SE3::Identity());
      model.armature[3 * leg + k] = armature;
    }
    ends.push_back(parent);
  }
  const pin::JointIndex platform = model.addJoint(0, pin::JointModelFreeFlyer(), pin::SE3::Identity(), "platform");
  model.appendBodyToJoint(platform, read_inertia(text), pin::SE3::Identity());
  std::vector<Eigen::Vector3d> points(6);
  for (auto& point : points) text >> point[0] >> point[1] >> point[2];
  pin::Data data(model);
  const int nq = model.nq, nv = model.nv;

  std::ifstream in(argv[2], std::ios::binary | std::ios::ate);
  std::vector<double> states(static_cast<std::size_t>(in.tellg()) / sizeof(double));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(states.data()), static_cast<std::streamsize>(states.size() * sizeof(double)));
  const std::size_t count = states.size() / static_cast<std::size_t>(nq + 2 * nv);
  std::vector<Eigen::VectorXd> q(count), v(count), a(count);
  std::vector<Eigen::Matrix<double, 6, 1>> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Map<const Eigen::VectorXd> state(&states[i * (nq + 2 * nv)], nq + 2 * nv);
    q[i] = state.head(nq);
    v[i] = state.segment(nq, nv);
    a[i] = state.tail(nv);
  }
  using Square = Eigen::Matrix<double, 24, 24>;
  Square system;
  Eigen::PartialPivLU<Square> solver;
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) {
      pin::rnea(model, data, q[i], v[i], a[i]);
      pin::computeJointJacobians(model, data, q[i]);
      system.setZero();
      for (int leg = 0; leg < 6; ++leg) {
        const Eigen::Vector3d ball = data.oMi[ends[leg]].translation();
        system(3 * leg + 2, leg) = 1;  // the motor
        for (int k = 3 * leg; k < 3 * leg + 3; ++k) {
          const auto column = data.J.col(k);  // at the origin of the world
          system.row(k).segment<3>(6 + 3 * leg) = (column.head<3>() + column.tail<3>().cross(ball)).transpose();
        }
        const Eigen::Vector3d point = data.oMi[platform].act(points[leg]);
        for (int k = 18; k < 24; ++k) {
          const auto column = data.J.col(k);
          system.row(k).segment<3>(6 + 3 * leg) = -(column.head<3>() + column.tail<3>().cross(point)).transpose();
        }
      }
      solver.compute(system);
      result[i] = solver.solve(data.tau).head<6>();
    }
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    std::cout << elapsed.count() / static_cast<double>(count) << std::endl;
  }
  std::ofstream out(argv[3], std::ios::binary);
  for (auto& r : result) out.write(reinterpret_cast<const char*>(r.data()), 6 * sizeof(double));
}
