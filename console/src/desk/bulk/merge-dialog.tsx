import { Merge } from "lucide-react";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { TicketCombobox } from "../../data/options/ticket-combobox.tsx";
import { useRefusals } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import type { QueueTicket } from "../queue/queue-ticket.ts";
import { refreshTickets } from "../ticket-cache.ts";
import { toLines } from "./results.ts";
import { Button } from "../../ui/form/button.tsx";
import { RadioButton } from "../../ui/form/controls.tsx";

interface MergeDialogProps {
  /** The selected incidents. */
  readonly tickets: readonly QueueTicket[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

interface MergeButtonProps {
  readonly tickets: readonly QueueTicket[];
  readonly onDone: () => void;
}

/** Offers to merge the selected tickets, also by `m`. */
export function MergeButton({ tickets, onDone }: MergeButtonProps) {
  const refusalOf = useRefusals();
  const [isOpen, setOpen] = useState(false);
  const isPossible = tickets.every(({ kind }) => kind === "incident");
  const refusal =
    refusalOf("incidents.merge") ??
    refusalOf("tickets.bulk") ??
    (isPossible ? undefined : "Only incidents can be merged.");
  const open = (): void => setOpen(true);
  useActions([{ keys: "m", label: "Merge the selected tickets", run: open, disabled: refusal }]);
  return (
    <>
      <Button
        isIcon
        aria-label="Merge"
        title={refusal ?? "Merge (m)"}
        disabled={refusal !== undefined}
        onClick={open}
      >
        <Merge />
      </Button>
      {isOpen && (
        <MergeDialog
          tickets={tickets}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false);
            onDone();
            refreshTickets("incident");
          }}
        />
      )}
    </>
  );
}

/** Merges the selected incidents into one of them, or into another one that is searched for. */
function MergeDialog({ tickets, onDone, onClose }: MergeDialogProps) {
  const [targetId, setTargetId] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  const sources = tickets.filter(({ id }) => id !== targetId);
  const submit = async (): Promise<void> => {
    if (targetId === undefined || isBusy) return;
    setBusy(true);
    setRefusals([]);
    const ids = sources.map(({ id }) => id);
    const acts = [{ act: "merge" as const, intoId: targetId }];
    try {
      // All of them or none; the dry run says which refuse and why.
      const { data: tried } = await call("tickets.bulk", { body: { ids, acts, dryRun: true } });
      if (tried.refused === 0) await call("tickets.bulk", { body: { ids, acts } });
      else {
        const lines = toLines(tried.results, () => undefined);
        setRefusals(
          lines.flatMap(({ number, refusal }) => (refusal ? [`${number}: ${refusal}`] : [])),
        );
        return;
      }
    } catch (error) {
      setRefusals([describeRefusal(error)]);
      return;
    } finally {
      setBusy(false);
    }
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
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button look="main" disabled={targetId === undefined || isBusy}>
            Merge
          </Button>
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
              <RadioButton
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
