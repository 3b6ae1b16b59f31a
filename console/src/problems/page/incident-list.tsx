import { Link } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { call, invalidate } from "../../data/api.ts";
import { applyChange } from "../../data/change.ts";
import { TicketPicker } from "../../desk-settings/index.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { State } from "../../ui/state.tsx";
import { count } from "../../ui/words.ts";
import type { Problem } from "./problem.ts";

interface IncidentListProps {
  readonly problem: Problem;
  readonly refusal: string | undefined;
}

/** The incidents that a problem causes. */
export function IncidentList({ problem, refusal }: IncidentListProps) {
  const [isLinking, setLinking] = useState(false);
  const { incidents } = problem;
  const change = async (send: () => Promise<unknown>, said: string, undo: () => Promise<unknown>) =>
    applyChange({ send: () => send().then(refresh), said, undo: () => undo().then(refresh) });
  const link = (number: string): Promise<unknown> =>
    call("problems.link_incidents", {
      params: { id: problem.id },
      body: { incidentIds: [number] },
    });
  const unlink = (incidentId: string): Promise<unknown> =>
    call("problems.unlink_incident", { params: { id: problem.id, incidentId } });
  return (
    <section aria-label="Incidents">
      <h2 className="row">
        <span className="grow">
          {incidents.length === 0 ? "Incidents" : count(incidents.length, "incident")}
        </span>
        <button
          className="btn"
          disabled={refusal !== undefined}
          title={refusal}
          onClick={() => setLinking(true)}
        >
          <Plus /> Link an incident
        </button>
      </h2>
      {incidents.length === 0 && (
        <p className="muted">
          None is linked yet. Whoever reported one reads the workaround there.
        </p>
      )}
      <ul className="problem-incidents">
        {incidents.map(({ id, number, title, state }) => (
          <li key={id}>
            <Link to="/tickets/$reference" params={{ reference: number }} className="problem-line">
              <span className="mono muted">{number}</span>
              <span className="grow cut">{title}</span>
              <State state={state} />
            </Link>
            {refusal === undefined && (
              <button
                className="btn bare icon small"
                aria-label={`Unlink ${number}`}
                onClick={() =>
                  void change(
                    () => unlink(id),
                    `${number} is no longer linked`,
                    () => link(number),
                  )
                }
              >
                <X />
              </button>
            )}
          </li>
        ))}
      </ul>
      {isLinking && (
        <LinkDialog
          onClose={() => setLinking(false)}
          onLink={(number) => {
            setLinking(false);
            const found = incidents.find((one) => one.number === number);
            if (found) return;
            void change(
              () => link(number),
              `${number} is linked`,
              () => unlink(number),
            );
          }}
        />
      )}
    </section>
  );
}

const refresh = (): void => invalidate(["problems.", "incidents."]);

interface LinkDialogProps {
  readonly onClose: () => void;
  readonly onLink: (number: string) => void;
}

function LinkDialog({ onClose, onLink }: LinkDialogProps) {
  const [number, setNumber] = useState<string>();
  return (
    <Dialog
      title="Link an incident"
      onClose={onClose}
      onSubmit={() => number !== undefined && onLink(number)}
      footer={
        <button className="btn main" disabled={number === undefined}>
          Link
        </button>
      }
    >
      <TicketPicker label="Incident" kinds={["incident"]} value={number} onChange={setNumber} />
    </Dialog>
  );
}
