import "../oncall.css";
import { useState } from "react";
import { call, invalidate, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { LineField, SelectField, TicketPicker } from "../../desk-settings/index.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import type { Target } from "../escalation/page-plan.ts";
import { Targets } from "../escalation/targets.tsx";

interface PageDialogProps {
  /** The ticket that it is about; asked for where there is none. */
  readonly number?: string | undefined;
  readonly onClose: () => void;
}

const NAMED = "";

/** Pages somebody about a ticket: those who are named, or by the steps of a policy. */
export function PageDialog({ number: given, onClose }: PageDialogProps) {
  const policies = useOp("escalation_policies.list", { query: { limit: 200 } }).data?.data ?? [];
  const [ticketId, setTicketId] = useState(given);
  const [policyId, setPolicyId] = useState(NAMED);
  const [targets, setTargets] = useState<readonly Target[]>([]);
  const [message, setMessage] = useState("");
  const [refused, setRefused] = useState<string>();
  const isNamed = policyId === NAMED;
  const isReady = ticketId !== undefined && (!isNamed || targets.length > 0);
  const submit = async (): Promise<void> => {
    if (ticketId === undefined || !isReady) return;
    const whom = isNamed ? { targets: [...targets] } : { policyId };
    const word = message.trim();
    try {
      await call("pages.create", {
        body: { ...whom, ticketId, ...(word !== "" && { message: word }) },
      });
      invalidate(["pages."]);
      notify(given === undefined ? "People are paged" : `People are paged about ${given}`);
      onClose();
    } catch (error) {
      setRefused(describeRefusal(error));
    }
  };
  return (
    <Dialog
      title={given === undefined ? "Page somebody" : `Page somebody about ${given}`}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <button className="btn main" disabled={!isReady}>
          Page
        </button>
      }
    >
      <div className="rota-dialog">
        {refused !== undefined && (
          <p className="problem" role="alert">
            {refused}
          </p>
        )}
        {given === undefined && (
          <TicketPicker label="About" value={ticketId} onChange={setTicketId} />
        )}
        {policies.length > 0 && (
          <SelectField
            label="How"
            value={policyId}
            options={[
              [NAMED, "At once, whom I name"],
              ...policies.map(({ id, name }) => [id, `By the policy ${name}`] as const),
            ]}
            onChange={setPolicyId}
          />
        )}
        {isNamed && <Targets targets={targets} onChange={setTargets} />}
        <LineField
          label="Why"
          placeholder="The vendor is on the line"
          value={message}
          onChange={setMessage}
          maxLength={1_000}
          isOptional
        />
      </div>
    </Dialog>
  );
}
