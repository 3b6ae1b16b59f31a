import { Link } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { applyChange } from "../../data/change.ts";
import { TicketCombobox } from "../../data/options/ticket-combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { State } from "../../ui/state.tsx";
import { count } from "../../ui/words.ts";
import type { Problem } from "./problem.ts";
import { Button } from "../../ui/form/button.tsx";

interface IncidentListProps {
  readonly problem: Problem;
  readonly refusal: string | undefined;
}

/** The incidents that a problem causes. */
export function IncidentList({ problem, refusal }: IncidentListProps) {
  const [isLinking, setLinking] = useState(false);
  const { incidents } = problem;
  const change = async (send: () => Promise<unknown>, said: string, undo: () => Promise<unknown>) =>
    applyChange({ send, said, undo });
  const link = (incidentId: string): Promise<unknown> =>
    call("problems.link_incidents", {
      params: { id: problem.id },
      body: { incidentIds: [incidentId] },
    });
  const unlink = (incidentId: string): Promise<unknown> =>
    call("problems.unlink_incident", { params: { id: problem.id, incidentId } });
  const add = async (id: string): Promise<void> => {
    const isLinked = await change(
      () => link(id),
      "Incident linked",
      () => unlink(id),
    );
    if (isLinked) setLinking(false);
  };
  return (
    <section aria-label="Incidents">
      <h2 className="row">
        <span className="grow">
          {incidents.length === 0 ? "Incidents" : count(incidents.length, "incident")}
        </span>
        <Button refusal={refusal} onClick={() => setLinking(true)}>
          <Plus /> Link an incident
        </Button>
      </h2>
      {incidents.length === 0 && (
        <p className="muted">
          No linked incidents. People who reported a linked incident can read the workaround in it.
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
              <Button
                look="bare"
                isIcon
                isSmall
                aria-label={`Unlink ${number}`}
                onClick={() =>
                  void change(
                    () => unlink(id),
                    `${number} is no longer linked`,
                    () => link(id),
                  )
                }
              >
                <X />
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isLinking && (
        <LinkDialog
          onClose={() => setLinking(false)}
          without={incidents.map(({ id }) => id)}
          onLink={(id) => void add(id)}
        />
      )}
    </section>
  );
}

interface LinkDialogProps {
  readonly onClose: () => void;
  readonly without: readonly string[];
  readonly onLink: (incidentId: string) => void;
}

function LinkDialog({ onClose, without, onLink }: LinkDialogProps) {
  const [incidentId, setIncidentId] = useState<string>();
  return (
    <Dialog
      title="Link an incident"
      onClose={onClose}
      onSubmit={() => incidentId !== undefined && onLink(incidentId)}
      footer={
        <Button look="main" disabled={incidentId === undefined}>
          Link
        </Button>
      }
    >
      <Field label="Incident">
        {({ id }) => (
          <TicketCombobox
            id={id}
            label="Incident"
            kinds={["incident"]}
            without={without}
            value={incidentId}
            onChange={setIncidentId}
          />
        )}
      </Field>
    </Dialog>
  );
}
