// Learning rates and teacher forcing over a run.
#include "train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "train/config.h"

namespace heed {
namespace {

TEST(Schedule, ConstantWithLinearWarmUp) {
  const train::Schedule plain({});
  EXPECT_EQ(plain.factor(0, 10), 1);
  EXPECT_EQ(plain.factor(9, 10), 1);
  const train::Schedule warm({.warmup = 4});
  EXPECT_EQ(warm.factor(0, 10), 0.25);
  EXPECT_EQ(warm.factor(2, 10), 0.75);
  EXPECT_EQ(warm.factor(3, 10), 1);
  EXPECT_EQ(warm.factor(4, 10), 1);
}

TEST(Schedule, LinearDecaysFromItsStartToItsFloor) {
  const train::Schedule s({.kind = train::ScheduleKind::linear, .from = 0.5, .floor = 0.2});
  EXPECT_NEAR(s.factor(5, 10), 1, 1e-12);
  EXPECT_NEAR(s.factor(6, 10), 1 - 0.2 * 0.8, 1e-12);
  EXPECT_NEAR(s.factor(9, 10), 1 - 0.8 * 0.8, 1e-12);
  EXPECT_NEAR(s.factor(10, 10), 0.2, 1e-12);
  EXPECT_NEAR(s.factor(20, 10), 0.2, 1e-12);  // past the estimated end
}

TEST(Schedule, InverseSquareRootIsOneAtTheEndOfTheWarmUp) {
  const train::Schedule s({.kind = train::ScheduleKind::inverse_sqrt, .warmup = 100});
  EXPECT_EQ(s.factor(99, 1000), 1);
  EXPECT_NEAR(s.factor(399, 1000), 0.5, 1e-12);
  EXPECT_NEAR(s.factor(9999, 100000), 0.1, 1e-12);
  EXPECT_NEAR(train::Schedule({.kind = train::ScheduleKind::inverse_sqrt}).factor(24, 1000), 0.2, 1e-12);
  EXPECT_EQ(train::Schedule({.kind = train::ScheduleKind::inverse_sqrt, .floor = 0.3}).factor(9999, 10000), 0.3);
}

TEST(Schedule, StepDecaysAfterTheWarmUp) {
  const train::Schedule s({.kind = train::ScheduleKind::step, .warmup = 10, .factor = 0.5, .updates = 100});
  EXPECT_EQ(s.factor(10, 1000), 1);
  EXPECT_EQ(s.factor(109, 1000), 1);
  EXPECT_EQ(s.factor(110, 1000), 0.5);
  EXPECT_EQ(s.factor(310, 1000), 0.125);
}

TEST(Schedule, PlateauDecaysWhenValidationsStopImproving) {
  train::Schedule s({.kind = train::ScheduleKind::plateau, .factor = 0.1, .patience = 2});
  s.note_validation(true);
  s.note_validation(false);
  EXPECT_EQ(s.factor(5, 10), 1);
  s.note_validation(true);
  s.note_validation(false);
  EXPECT_EQ(s.factor(5, 10), 1);
  s.note_validation(false);
  EXPECT_NEAR(s.factor(5, 10), 0.1, 1e-12);
  s.note_validation(false);
  s.note_validation(false);
  EXPECT_NEAR(s.factor(5, 10), 0.01, 1e-12);
  train::Schedule other({.kind = train::ScheduleKind::plateau, .factor = 0.1, .patience = 2});
  other.set_state(s.state());
  EXPECT_EQ(other.factor(5, 10), s.factor(5, 10));
}

TEST(Schedule, OnlyPlateauDependsOnValidations) {
  train::Schedule s({.kind = train::ScheduleKind::constant, .patience = 1});
  s.note_validation(false);
  EXPECT_EQ(s.factor(5, 10), 1);
}

TEST(TeacherForcing, ChangesLinearlyToTheFinalProbability) {
  train::TrainingConfig c;
  c.teacher_forcing = 1;
  c.teacher_forcing_to = 0.2;
  EXPECT_EQ(c.teacher_forcing_at(1000), 1);  // teacher_forcing_updates is 0
  c.teacher_forcing_updates = 100;
  EXPECT_EQ(c.teacher_forcing_at(0), 1);
  EXPECT_NEAR(c.teacher_forcing_at(50), 0.6, 1e-12);
  EXPECT_NEAR(c.teacher_forcing_at(100), 0.2, 1e-12);
  EXPECT_NEAR(c.teacher_forcing_at(5000), 0.2, 1e-12);
}

}  // namespace
}  // namespace heed
