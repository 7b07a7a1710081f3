#include "arbitrary.h"

#include <rapidcheck.h>

#include <functional>
#include <limits>
#include <vector>

namespace cupel {
namespace {

constexpr std::size_t k_list_max = 3;
constexpr std::size_t k_pieces_max = 30;

std::size_t any_below(std::size_t count) {
  return *rc::gen::inRange<std::size_t>(0, count);
}

template <class T>
T any() {
  return *rc::gen::arbitrary<T>();
}

template <class T, class... More>
T element(T choice, More... more) {
  const std::vector<T> choices{choice, more...};
  return choices[any_below(choices.size())];
}

template <class T>
std::vector<T> any_list(T (*item)()) {
  std::vector<T> list(any_below(k_list_max + 1));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = item();
  return list;
}

template <class T, class V>
std::function<void(T&)> set(V T::*member, V value = any<V>()) {
  return [member, value = std::move(value)](T& made) { made.*member = value; };
}

template <class T, class... Fills>
T build(const Fills&... fills) {
  T made;
  const std::vector<std::function<void(T&)>> members{fills...};
  for (const auto& fill : members) fill(made);
  return made;
}

Policy any_policy() {
  return element(Policy::eager, Policy::exact, Policy::tf32, Policy::half);
}

TensorSpec any_tensor_spec() {
  return build<TensorSpec>(
      set(&TensorSpec::dtype, any_text()), set(&TensorSpec::shape, any_list(any<std::int64_t>)),
      set(&TensorSpec::strides, any_list(any<std::int64_t>)), set(&TensorSpec::bytes));
}

ClassReport any_class_report() {
  return build<ClassReport>(set(&ClassReport::name, any_text()), set(&ClassReport::kept),
                            set(&ClassReport::reason, any_text()),
                            set(&ClassReport::outputs, any_list(any_output_error)));
}

MutantReport any_mutant() {
  return build<MutantReport>(set(&MutantReport::name, any_text()),
                             set(&MutantReport::value_class, any_text()),
                             set(&MutantReport::outputs, any_list(any_output_error)));
}

AdmissionEvidence any_admission_evidence() {
  using A = AdmissionEvidence;
  return build<A>(set(&A::oracle, any_text()), set(&A::deterministic), set(&A::mutates_inputs),
                  set(&A::changes_state), set(&A::uses_tf32), set(&A::in_half),
                  set(&A::half_way, any_text()), set(&A::input_fully_read, any_list(any<bool>)),
                  set(&A::reference_ms, any_number()), set(&A::classes, any_list(any_class_report)),
                  set(&A::no_near_ties, any_list(any_text)), set(&A::mutants, any_list(any_mutant)),
                  set(&A::notes, any_list(any_text)));
}

Tolerance any_tolerance() {
  using T = Tolerance;
  return build<T>(set(&T::value_class, any_text()), set(&T::rms_max, any_list(any_number)),
                  set(&T::error_max, any_list(any_number)),
                  set(&T::mismatched_max, any_list(any<std::int64_t>)),
                  set(&T::group_max, any_list(any_number)));
}

HostFault any_host_fault() {
  using Kind = HostFault::Kind;
  return build<HostFault>(
      set(&HostFault::kind, element(Kind::none, Kind::build_error, Kind::timeout, Kind::infra)),
      set(&HostFault::phase, any_text()), set(&HostFault::what, any_text()),
      set(&HostFault::detail, any_text()), set(&HostFault::input));
}

CallSample any_call() {
  using C = CallSample;
  return build<C>(set(&C::input), set(&C::round), set(&C::value_class, any_text()), set(&C::order),
                  set(&C::bracket_ns), set(&C::claim_ns), set(&C::seen_ns));
}

OutputCheck any_check() {
  using C = OutputCheck;
  return build<C>(set(&C::input), set(&C::value_class, any_text()), set(&C::instance),
                  set(&C::outputs, any_list(any_output_error)),
                  set(&C::own, any_list(any_output_error)),
                  set(&C::in_order, any_list(any_output_error)));
}

FormMismatch any_mismatch() {
  using M = FormMismatch;
  return build<M>(set(&M::kind, any_text()), set(&M::got, any_text()), set(&M::want, any_text()),
                  set(&M::input));
}

BatchSample any_batch() {
  using B = BatchSample;
  return build<B>(set(&B::calls), set(&B::bracket_ns), set(&B::open_ns), set(&B::copy_ns),
                  set(&B::total_ns), set(&B::first_input), set(&B::round), set(&B::counted));
}

MemorySample any_memory_sample() {
  using M = MemorySample;
  return build<M>(set(&M::calls), set(&M::bytes));
}

Endurance any_endurance() {
  using E = Endurance;
  return build<E>(set(&E::calls), set(&E::turns, any_list(any_check)),
                  set(&E::held, any_list(any_check)), set(&E::late, any_list(any_check)),
                  set(&E::memory, any_list(any_memory_sample)));
}

QueuedSample any_queued() {
  using Q = QueuedSample;
  return build<Q>(set(&Q::turn), set(&Q::round), set(&Q::device_ns));
}

ProgramEvidence any_program() {
  using P = ProgramEvidence;
  return build<P>(set(&P::candidate_id, any_text()), set(&P::label, any_text()),
                  set(&P::role, element(Role::baseline, Role::rival, Role::candidate)),
                  set(&P::fault, any_host_fault()), set(&P::import_ms, any_number()),
                  set(&P::first_call_ms, any_number()), set(&P::weights, any_text()),
                  set(&P::layout_differs), set(&P::calls, any_list(any_call)),
                  set(&P::untimed, any_list(any_call)), set(&P::queued, any_list(any_queued)),
                  set(&P::batches, any_list(any_batch)), set(&P::checks, any_list(any_check)),
                  set(&P::mismatches, any_list(any_mismatch)),
                  set(&P::mutated_inputs, any_list(any<std::int64_t>)),
                  set(&P::late_writes, any_list(any<std::int64_t>)),
                  set(&P::output_tail, any_text()), set(&P::unaudited, any_text()),
                  set(&P::kernels, any_list(any_text)), set(&P::endurance, any_endurance()));
}

KernelTrial any_trial() {
  using T = KernelTrial;
  return build<T>(set(&T::kernel, any_text()), set(&T::programs, any_list(any_program)));
}

HeldOutRound any_held_out() {
  using H = HeldOutRound;
  using Kind = H::Kind;
  return build<H>(
      set(&H::kind, element(Kind::shape, Kind::layout, Kind::option, Kind::load, Kind::state)),
      set(&H::shape, any_text()), set(&H::problem, any_text()), set(&H::facts, any_facts()),
      set(&H::admission, any_admission()), set(&H::programs, any_list(any_program)));
}

RoundCost any_cost() {
  using C = RoundCost;
  return build<C>(set(&C::wait_hosts_ms, any_number()), set(&C::calls_ms, any_number()),
                  set(&C::compare_ms, any_number()), set(&C::judge_cpu_ms, any_number()));
}

Outcome any_outcome() {
  return element(Outcome::faster, Outcome::same, Outcome::slower, Outcome::ambiguous,
                 Outcome::wrong, Outcome::suspect, Outcome::impossible, Outcome::build_error,
                 Outcome::runtime_error, Outcome::timeout, Outcome::out_of_memory,
                 Outcome::invalid_reply, Outcome::degenerate, Outcome::infra_fault);
}

Reason any_reason() {
  return build<Reason>(set(&Reason::code, any_text()), set(&Reason::text, any_text()),
                       set(&Reason::value, any_number()), set(&Reason::limit, any_number()));
}

Ratio any_ratio() {
  return build<Ratio>(set(&Ratio::over, any_text()), set(&Ratio::over_id, any_text()),
                      set(&Ratio::ratio, any_number()), set(&Ratio::low, any_number()),
                      set(&Ratio::high, any_number()), set(&Ratio::candidate_ms, any_number()),
                      set(&Ratio::over_ms, any_number()), set(&Ratio::pairs));
}

FinalTable::Row any_row() {
  using Row = FinalTable::Row;
  return build<Row>(set(&Row::role, any_text()), set(&Row::candidate_id, any_text()),
                    set(&Row::label, any_text()), set(&Row::verdict, any_verdict()));
}

}  // namespace

double any_number() {
  using Limits = std::numeric_limits<double>;
  if (any_below(2)) return *rc::gen::arbitrary<double>();
  return element(Limits::infinity(), -Limits::infinity(), Limits::max(), Limits::denorm_min(), -0.0,
                 Limits::quiet_NaN());
}

std::string any_text() {
  std::string text;
  for (std::size_t pieces = any_below(k_pieces_max + 1); pieces > 0; --pieces) {
    text += element("a", "0", " ", "\"", "\\", "\n", "{", "]", "\x01", "é", "漢");
  }
  return text;
}

TaskSettings any_settings() {
  using S = TaskSettings;
  return build<S>(set(&S::policy, any_policy()),
                  set(&S::mode, element(Mode::as_constructed, Mode::inference)),
                  set(&S::value_classes, any_list(any_text)), set(&S::strict_strides),
                  set(&S::allow_mutated_inputs), set(&S::held_out, any_list(any_text)));
}

Task any_task() {
  return build<Task>(set(&Task::id, any_text()), set(&Task::name, any_text()),
                     set(&Task::kind, element(Task::Kind::file, Task::Kind::module)),
                     set(&Task::path, any_text()), set(&Task::module, any_text()),
                     set(&Task::input_spec, any_text()), set(&Task::init_spec, any_text()),
                     set(&Task::import_root, any_text()), set(&Task::source, any_text()),
                     set(&Task::weights, any_text()), set(&Task::weights_id, any_text()),
                     set(&Task::settings, any_settings()));
}

ProgramFacts::Source any_source() {
  using S = ProgramFacts::Source;
  return build<S>(set(&S::module, any_text()), set(&S::text, any_text()));
}

ProgramFacts any_program_facts() {
  using P = ProgramFacts;
  return build<P>(set(&P::init, any_text()), set(&P::weights, any_list(any_text)),
                  set(&P::sources, any_list(any_source)), set(&P::left_out, any_list(any_text)));
}

TaskFacts any_facts() {
  using F = TaskFacts;
  return build<F>(
      set(&F::inputs, any_list(any_tensor_spec)), set(&F::outputs, any_list(any_tensor_spec)),
      set(&F::input_tree, any_text()), set(&F::output_tree, any_text()), set(&F::has_value_inputs),
      set(&F::options, any_list(any_text)), set(&F::init_pickle, any_text()),
      set(&F::parameter_count), set(&F::weight_bytes), set(&F::input_bytes), set(&F::output_bytes),
      set(&F::peak_bytes), set(&F::program, any_program_facts()));
}

OutputError any_output_error() {
  using O = OutputError;
  return build<O>(set(&O::rms, any_number()), set(&O::max, any_number()),
                  set(&O::spread, any_number()), set(&O::elements), set(&O::nonfinite),
                  set(&O::mismatched), set(&O::poison), set(&O::close_1e2), set(&O::close_1e4),
                  set(&O::worst_index), set(&O::worst_got, any_number()),
                  set(&O::worst_want, any_number()), set(&O::group, any_number()),
                  set(&O::group_name, any_text()));
}

Admission any_admission() {
  using A = Admission;
  return build<A>(set(&A::evidence, any_admission_evidence()), set(&A::k, any_number()),
                  set(&A::low_precision), set(&A::tolerances, any_list(any_tolerance)),
                  set(&A::degenerate, any_list(any_text)),
                  set(&A::weak_at_1e2, any_list(any_text)));
}

Evidence any_evidence() {
  using E = Evidence;
  return build<E>(set(&E::task_id, any_text()), set(&E::policy, any_policy()),
                  set(&E::mode, element(Mode::as_constructed, Mode::inference)),
                  set(&E::metric, element(Metric::latency, Metric::throughput)),
                  set(&E::programs, any_list(any_program)), set(&E::floor_ms, any_number()),
                  set(&E::stop_reason, any_text()), set(&E::sandbox_grade, any_text()),
                  set(&E::device, any_text()), set(&E::threads), set(&E::staged_calls_max),
                  set(&E::infra_fault, any_text()), set(&E::cost, any_cost()),
                  set(&E::kernel_trials, any_list(any_trial)),
                  set(&E::held_out, any_list(any_held_out)));
}

Verdict any_verdict() {
  using V = Verdict;
  return build<V>(
      set(&V::candidate_id, any_text()), set(&V::label, any_text()),
      set(&V::outcome, any_outcome()),
      set(&V::fault, element(Fault::nobody, Fault::candidate, Fault::reference, Fault::us)),
      set(&V::reasons, any_list(any_reason)), set(&V::ratios, any_list(any_ratio)),
      set(&V::metric, element(Metric::latency, Metric::throughput)),
      set(&V::other_ratios, any_list(any_ratio)), set(&V::device_ratios, any_list(any_ratio)),
      set(&V::error_rms, any_number()), set(&V::error_max, any_number()), set(&V::close_1e2),
      set(&V::close_1e4), set(&V::checked_calls), set(&V::feedback, any_text()));
}

Candidate any_candidate() {
  return build<Candidate>(set(&Candidate::id, any_text()), set(&Candidate::label, any_text()),
                          set(&Candidate::source, any_text()));
}

Proposal any_proposal() {
  using P = Proposal;
  return build<P>(
      set(&P::id, any_text()),
      set(&P::kind, element(P::Kind::seed, P::Kind::file, P::Kind::brainstorm, P::Kind::fix)),
      set(&P::label, any_text()), set(&P::parents, any_list(any_text)), set(&P::reason, any_text()),
      set(&P::idea, any_text()), set(&P::tier, element(Tier::cheap, Tier::strong)),
      set(&P::charged), set(&P::phase), set(&P::branch), set(&P::fix_round));
}

Prompt any_prompt() {
  using P = Prompt;
  return build<P>(set(&P::proposal_id, any_text()), set(&P::agent, any_text()),
                  set(&P::tier, element(Tier::cheap, Tier::strong)), set(&P::system, any_text()),
                  set(&P::user, any_text()), set(&P::temperature, any_number()),
                  set(&P::reply_tokens_max), set(&P::billed_attempts_max));
}

Reply any_reply() {
  using R = Reply;
  const auto any_usage = build<Usage>(set(&Usage::prompt_tokens), set(&Usage::cached_tokens),
                                      set(&Usage::reply_tokens), set(&Usage::thought_tokens),
                                      set(&Usage::written_tokens));
  return build<R>(
      set(&R::end, element(R::End::complete, R::End::truncated, R::End::refused, R::End::failed)),
      set(&R::text, any_text()), set(&R::model, any_text()), set(&R::problem, any_text()),
      set(&R::usage, any_usage), set(&R::usage_known), set(&R::nano_usd),
      set(&R::seconds, any_number()), set(&R::attempts), set(&R::provider_lost));
}

Price any_price() {
  const auto any_rates = [] {
    return build<Rates>(set(&Rates::input, any_number()), set(&Rates::cached, any_number()),
                        set(&Rates::output, any_number()), set(&Rates::written, any_number()));
  };
  return build<Price>(set(&Price::model, any_text()), set(&Price::rates, any_rates()),
                      set(&Price::long_above_tokens), set(&Price::long_rates, any_rates()),
                      set(&Price::date, any_text()), set(&Price::source, any_text()));
}

RunOptions any_run_options() {
  using O = RunOptions;
  return build<O>(
      set(&O::policy, any_policy()), set(&O::metric, element(Metric::latency, Metric::throughput)),
      set(&O::effort, element(Effort::quick, Effort::normal, Effort::full)),
      set(&O::device, any_text()), set(&O::threads), set(&O::sandbox, any_text()),
      set(&O::time_limit_s, any_number()), set(&O::minutes_max, any_number()), set(&O::seed),
      set(&O::candidate_files, any_list(any_text)), set(&O::strategy, any_text()),
      set(&O::llm, any_text()), set(&O::llm_cheap, any_text()), set(&O::reader, any_text()),
      set(&O::llm_url, any_text()), set(&O::prices, any_list(any_price)), set(&O::nano_usd_max),
      set(&O::queries_max), set(&O::stop_value, any_number()), set(&O::slots),
      set(&O::withheld, any_list(any_text)));
}

FinalTable any_final_table() {
  return build<FinalTable>(set(&FinalTable::rows, any_list(any_row)));
}

WinnerAudit any_winner_audit() {
  using A = WinnerAudit;
  return build<A>(set(&A::candidate_id, any_text()), set(&A::label, any_text()),
                  set(&A::verdict, any_verdict()), set(&A::seconds, any_number()));
}

namespace {

GraphValue any_graph_value() {
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return GraphValue::of_node(any_text());
    case 1:
      return GraphValue::of(*rc::gen::arbitrary<std::int64_t>());
    case 2:
      return GraphValue::of(any_number());
    case 3:
      return GraphValue::of(*rc::gen::arbitrary<std::vector<std::int64_t>>());
    default:
      return {};
  }
}

GraphArgument any_graph_argument() {
  return {any_text(), any_graph_value(), *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
}

GraphNode any_graph_node() {
  using N = GraphNode;
  return build<N>(set(&N::name, any_text()), set(&N::op, any_text()), set(&N::source, any_text()),
                  set(&N::state, any_text()), set(&N::arguments, any_list(any_graph_argument)),
                  set(&N::outputs, any_list(any_tensor_spec)), set(&N::is_tuple),
                  set(&N::is_effect), set(&N::is_random), set(&N::is_view));
}

GraphResult any_graph_leaf() {
  return {"leaf", any_graph_value(), *rc::gen::arbitrary<bool>(), {}, {}};
}

}  // namespace

Graph any_graph() {
  using G = Graph;
  GraphResult result{"dict", {}, false, any_list(any_text), any_list(any_graph_leaf)};
  return build<G>(set(&G::init, any_text()), set(&G::parameters, any_list(any_text)),
                  set(&G::is_training), set(&G::nodes, any_list(any_graph_node)),
                  set(&G::result, result));
}

}  // namespace cupel
