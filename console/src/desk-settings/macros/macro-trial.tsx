import "../../ui/display/trial.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useNames } from "../../data/names/names.ts";
import { toLines } from "../../desk/index.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Loading } from "../../ui/feedback.tsx";
import { SampleTicketPicker } from "../frame/ticket-picker.tsx";
import { type Step, toSentStep } from "./macro-steps.ts";

const PAUSE_MS = 400;

interface MacroTrialProps {
  readonly steps: readonly Step[];
  readonly kinds: readonly string[];
}

/** The effect of the steps on a ticket: a dry run after each change. */
export function MacroTrial({ steps, kinds }: MacroTrialProps) {
  const [ticketId, setTicketId] = useState<string>();
  const nameOf = useNames();
  const acts = useDebounced(JSON.stringify(steps.map(toSentStep)), PAUSE_MS);
  const trial = useQuery({
    queryKey: ["macro trial", ticketId, acts],
    enabled: ticketId !== undefined,
    retry: false,
    queryFn: async () => {
      const body = { ids: [ticketId ?? ""], acts: JSON.parse(acts) as Step[], dryRun: true };
      return (await call("tickets.bulk", { body })).data;
    },
  });
  const [line] = toLines(trial.data?.results ?? [], nameOf);
  return (
    <section className="trial" aria-label="Preview">
      <h3>Preview</h3>
      <SampleTicketPicker label="Ticket" value={ticketId} onChange={setTicketId} kinds={kinds} />
      {ticketId === undefined && <p className="muted">No open tickets for a preview.</p>}
      {trial.error && (
        <p className="problem" role="status">
          {describeRefusal(trial.error)}
        </p>
      )}
      {ticketId !== undefined && trial.isPending && <Loading rows={3} />}
      {line && !trial.error && (
        <div role="status">
          {line.refusal !== undefined && <p className="problem">{line.refusal}</p>}
          {line.refusal === undefined && (
            <ul className="trial-lines">
              {line.changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
              {line.changes.length === 0 && <li className="muted">No changes.</li>}
            </ul>
          )}
          <p className="muted">This is a dry run. The ticket was not changed.</p>
        </div>
      )}
    </section>
  );
}
