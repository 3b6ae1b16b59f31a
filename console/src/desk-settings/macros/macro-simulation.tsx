import "../../ui/display/trial.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call, type Input, type Schemas } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Loading } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import { describeDifference } from "./macro-difference.ts";
import { type Step, toSentStep } from "./macro-steps.ts";

type Asked = Input<"macros.simulate">["body"];

const PAUSE_MS = 600;
const SHOWN_MAX = 6;

interface MacroSimulationProps {
  readonly macro: Pick<Schemas["ListedMacro"], "id" | "revision">;
  readonly steps: readonly Step[];
  readonly kinds: readonly string[];
}

/** Open tickets of the last month for which the draft has a different effect than the saved macro. */
export function MacroSimulation({ macro, steps, kinds }: MacroSimulationProps) {
  const asked = useDebounced(
    JSON.stringify({ macro: { steps: steps.map(toSentStep), kinds } }),
    PAUSE_MS,
  );
  const { data, error } = useQuery({
    queryKey: ["macro simulation", macro.id, macro.revision, asked],
    retry: false,
    queryFn: async ({ signal }) => {
      const input = { params: { id: macro.id }, body: JSON.parse(asked) as Asked };
      return (await call("macros.simulate", input, { signal })).data;
    },
  });
  return (
    <section className="trial trial-next" aria-label="Simulation of your changes">
      <h3>Simulation: open tickets of the last 30 days</h3>
      {error && (
        <p className="problem" role="status">
          {describeRefusal(error)}
        </p>
      )}
      {!data && !error && <Loading rows={2} />}
      {data && !error && (
        <div role="status">
          <p>
            {count(data.tickets, "ticket")} checked: {data.sameCount} with the same result,{" "}
            {data.changedCount} with a different result, {data.refused} would fail. No tickets were
            changed.
          </p>
          <ul className="trial-lines">
            {data.changed.slice(0, SHOWN_MAX).map((one) => (
              <li key={one.ticketId}>
                <Link
                  to="/tickets/$reference"
                  params={{ reference: one.number ?? one.ticketId }}
                  title={one.title ?? undefined}
                  className="mono"
                >
                  {one.number}
                </Link>{" "}
                {describeDifference(one.before, one.after).join("; ")}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
