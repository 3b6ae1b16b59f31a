import { Merge } from "lucide-react";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { TicketField } from "../../data/options/search-field.tsx";
import { useRefusals } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { Button } from "../../ui/form/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { RadioField } from "../../ui/form/pickers/radio-field.tsx";
import { count } from "../../ui/words.ts";
import type { QueueTicket } from "../queue/queue-ticket.ts";
import { refreshTickets } from "../ticket-cache.ts";
import { toLines } from "./results.ts";

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

/** A button that merges the selected tickets; shortcut `m`. */
export function MergeButton({ tickets, onDone }: MergeButtonProps) {
  const refusalOf = useRefusals();
  const [isOpen, setOpen] = useState(false);
  const isPossible = tickets.every(({ kind }) => kind === "incident");
  const refusal =
    refusalOf("incidents.merge") ??
    refusalOf("tickets.bulk") ??
    (isPossible ? undefined : "Only incidents can be merged.");
  const open = (): void => setOpen(true);
  useActions([{ keys: "m", label: "Merge selected tickets", run: open, disabled: refusal }]);
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

interface MergeDraft {
  readonly targetId: string | null;
}

/** The oldest ticket stays open by default: the later ones are the duplicates. */
const findOldest = (tickets: readonly QueueTicket[]): string | null =>
  tickets.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))[0]?.id ?? null;

/** Merges the selected incidents into one of them, or into another incident. */
function MergeDialog({ tickets, onDone, onClose }: MergeDialogProps) {
  const form = useForm("tickets.bulk", {
    initial: { targetId: findOldest(tickets) },
    check: ({ targetId }) => ({
      targetId:
        targetId === null
          ? "Select the ticket to merge into. The others are closed as duplicates."
          : undefined,
    }),
    send: ({ targetId }: MergeDraft) => mergeInto(targetId ?? "", tickets),
    said: ({ data }) => `${count(data.changed, "ticket")} merged`,
    onDone,
  });
  const target = form.field("targetId");
  const isSelected = tickets.some(({ id }) => id === target.value);
  return (
    <FormDialog
      form={form}
      title={`Merge ${count(tickets.length, "ticket")}`}
      act="Merge"
      onClose={onClose}
    >
      <RadioField
        {...target}
        label="Merge into"
        options={tickets.map(({ id, number, title }) => [id, `${number} ${title}`] as const)}
      />
      <TicketField
        {...target}
        errorFor={() => undefined}
        value={isSelected ? null : target.value}
        label="Other ticket"
        isRequired={false}
        kinds={["incident"]}
        without={tickets.map(({ id }) => id)}
      />
    </FormDialog>
  );
}

/** Merges all tickets or none. A dry run shows why tickets can't be merged. */
async function mergeInto(intoId: string, tickets: readonly QueueTicket[]) {
  const ids = tickets.map(({ id }) => id).filter((id) => id !== intoId);
  const acts = [{ act: "merge" as const, intoId }];
  const { data } = await call("tickets.bulk", { body: { ids, acts, dryRun: true } });
  if (data.refused > 0) {
    const lines = toLines(data.results, () => undefined);
    const refusals = lines.flatMap(({ number, refusal }) =>
      refusal ? [`${number}: ${refusal}`] : [],
    );
    throw new Error(refusals.join(" "));
  }
  return call("tickets.bulk", { body: { ids, acts } });
}
