import "../oncall.css";
import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { TicketField } from "../../data/options/search-field.tsx";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Targets } from "../escalation/targets.tsx";

interface PageDialogProps {
  /** The ticket number. If missing, the form asks for it. */
  readonly number?: string | undefined;
  readonly onClose: () => void;
}

/** Pages people about a ticket, directly or with an escalation policy. */
export function PageDialog({ number, onClose }: PageDialogProps) {
  const policies = useOp("escalation_policies.list", { query: { limit: 200 } }).data?.data ?? [];
  const form = useForm("pages.create", {
    initial: { ticketId: number },
    check: ({ policyId, targets }) => ({
      targets:
        policyId || targets?.length ? undefined : "Select at least one person, team or schedule.",
    }),
    said: `Page sent for ${number ?? "the ticket"}`,
    onDone: onClose,
  });
  const { policyId, targets } = form.values;
  return (
    <FormDialog
      form={form}
      title={number === undefined ? "Send page" : `Send page for ${number}`}
      act="Send page"
      onClose={onClose}
    >
      {number === undefined && <TicketField {...form.field("ticketId")} label="Ticket" />}
      {policies.length > 0 && (
        <SelectField
          {...form.field("policyId")}
          label="Escalation policy"
          none="None: select targets"
          options={policies.map(({ id, name }) => [id, name] as const)}
        />
      )}
      {!policyId && (
        <Targets targets={targets ?? []} onChange={(next) => form.change({ targets: next })} />
      )}
      <TextField
        {...form.field("message")}
        label="Message"
        placeholder="Example: The vendor is on the line"
      />
    </FormDialog>
  );
}
