import { useState } from "react";
import { call } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { TicketCombobox } from "../../data/options/ticket-combobox.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import type { QueueTicket } from "../queue/queue-ticket.ts";

interface MergeDialogProps {
  /** The selected incidents. */
  readonly tickets: readonly QueueTicket[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Merges the selected incidents into one of them, or into another one that is searched for. */
export function MergeDialog({ tickets, onDone, onClose }: MergeDialogProps) {
  const [targetId, setTargetId] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  const sources = tickets.filter(({ id }) => id !== targetId);
  const submit = async (): Promise<void> => {
    if (targetId === undefined || isBusy) return;
    setBusy(true);
    const refused: string[] = [];
    for (const { id, number } of sources) {
      try {
        await call("incidents.merge", { params: { id }, body: { intoId: targetId } });
      } catch (error) {
        refused.push(`${number}: ${describeRefusal(error)}`);
      }
    }
    setBusy(false);
    setRefusals(refused);
    if (refused.length > 0) return;
    notify(`${count(sources.length, "ticket")} merged`);
    onDone();
  };
  return (
    <Dialog
      title={`Merge ${count(tickets.length, "ticket")}`}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button className="btn main" disabled={targetId === undefined || isBusy}>
            Merge
          </button>
        </>
      }
    >
      <div className="act-form">
        {refusals.map((refusal) => (
          <p key={refusal} className="problem" role="alert">
            {refusal}
          </p>
        ))}
        <fieldset aria-label="Ticket that stays open">
          {tickets.map(({ id, number, title }) => (
            <label key={id} className="row">
              <input
                type="radio"
                name="merge-target"
                checked={id === targetId}
                onChange={() => setTargetId(id)}
              />
              <span className="cut">
                {number} {title}
              </span>
            </label>
          ))}
        </fieldset>
        <Field label="Or another ticket" isOptional>
          {({ id }) => (
            <TicketCombobox
              id={id}
              label="Or another ticket"
              kinds={["incident"]}
              without={tickets.map((ticket) => ticket.id)}
              onlyOpen
              value={tickets.some((ticket) => ticket.id === targetId) ? undefined : targetId}
              onChange={setTargetId}
            />
          )}
        </Field>
      </div>
    </Dialog>
  );
}
