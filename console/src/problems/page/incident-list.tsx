import { Link } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { useRef, useState } from "react";
import { call } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { TicketField } from "../../data/options/search-field.tsx";
import { perform } from "../../data/use-command.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { State } from "../../ui/state.tsx";
import { count } from "../../ui/words.ts";
import type { Problem } from "./problem.ts";
import { Button } from "../../ui/form/button.tsx";

interface IncidentListProps {
  readonly problem: Problem;
  readonly refusal: string | undefined;
}

export function IncidentList({ problem, refusal }: IncidentListProps) {
  const [isLinking, setLinking] = useState(false);
  const { incidents } = problem;
  const params = { id: problem.id };
  const link = (incidentId: string) =>
    call("problems.link_incidents", { params, body: { incidentIds: [incidentId] } });
  const unlink = (incidentId: string, number: string) =>
    perform(
      "problems.unlink_incident",
      { params: { ...params, incidentId } },
      { said: `Link to ${number} removed`, undo: () => link(incidentId) },
    );
  return (
    <section aria-label="Incidents">
      <h2 className="row">
        <span className="grow">
          {incidents.length === 0 ? "Incidents" : count(incidents.length, "incident")}
        </span>
        <Button refusal={refusal} onClick={() => setLinking(true)}>
          <Plus /> Link incident
        </Button>
      </h2>
      {incidents.length === 0 && (
        <p className="muted">
          No linked incidents. Callers of linked incidents can read the workaround.
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
                onClick={() => void unlink(id, number)}
              >
                <X />
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isLinking && (
        <LinkDialog
          id={problem.id}
          onClose={() => setLinking(false)}
          without={incidents.map(({ id }) => id)}
        />
      )}
    </section>
  );
}

interface LinkDialogProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly without: readonly string[];
}

function LinkDialog({ id, onClose, without }: LinkDialogProps) {
  const linked = useRef("");
  const unlink = (incidentId: string) =>
    call("problems.unlink_incident", { params: { id, incidentId } });
  const form = useForm("problems.link_incidents", {
    params: { id },
    said: "Incident linked",
    undo: () => unlink(linked.current),
    onDone: onClose,
  });
  const { value, onChange, ...field } = form.field("incidentIds");
  return (
    <FormDialog form={form} title="Link incident" act="Link" onClose={onClose}>
      <TicketField
        {...field}
        label="Incident"
        kinds={["incident"]}
        without={without}
        isClosedToo
        value={value?.[0]}
        onChange={(incidentId) => {
          linked.current = incidentId ?? "";
          onChange(incidentId ? [incidentId] : []);
        }}
      />
    </FormDialog>
  );
}
