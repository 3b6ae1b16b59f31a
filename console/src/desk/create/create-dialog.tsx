import { useState } from "react";
import { useMay } from "../../data/people.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Keys } from "../../ui/key.tsx";
import { notify } from "../../ui/toast.tsx";
import { refreshTickets } from "../ticket-cache.ts";
import { type Kind, KINDS } from "../ticket-kind.ts";
import { ChangeFields } from "./change-fields.tsx";
import { EMPTY, type TicketDraft } from "./draft.ts";
import { IncidentFields } from "./incident-fields.tsx";
import { OwnFieldInputs } from "./own-field-inputs.tsx";
import { ProblemFields } from "./problem-fields.tsx";
import { RequestFields } from "./request-fields.tsx";
import { CREATE, useRaise } from "./use-raise.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";

interface CreateDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (number: string) => void;
}

const FIELDS = {
  incident: IncidentFields,
  request: RequestFields,
  problem: ProblemFields,
  change: ChangeFields,
} as const;

/** Creates a ticket of any kind for a caller on the phone or at the counter. */
export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const may = useMay();
  const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => may(CREATE[kind]));
  const [kind, setKind] = useState<Kind>(kinds[0] ?? "incident");
  const [draft, setDraft] = useState<TicketDraft>(EMPTY);
  const change = (next: Partial<TicketDraft>): void => setDraft((old) => ({ ...old, ...next }));
  const raise = useRaise(kind, draft, {
    onRaised(number) {
      refreshTickets(kind);
      notify(`${number} created`);
      onCreated(number);
    },
    onCaller: (callerId) => change({ callerId, contact: undefined }),
  });
  const Fields = FIELDS[kind];
  const footer = (
    <>
      <Button type="button" onClick={onClose}>
        Cancel
      </Button>
      <Button look="main" disabled={raise.isBusy}>
        Create <Keys keys="mod+Enter" />
      </Button>
    </>
  );
  return (
    <Dialog
      title={`New ${KINDS[kind].word.toLowerCase()}`}
      onClose={onClose}
      onSubmit={raise.submit}
      footer={footer}
    >
      <div
        className="act-form"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          raise.submit();
        }}
      >
        <KindTabs kinds={kinds} kind={kind} onChoose={setKind} />
        {raise.error !== undefined && (
          <p className="problem" role="alert">
            {raise.error}
          </p>
        )}
        <Fields draft={draft} onChange={change} errorOf={raise.errorOf} />
        {kind !== "request" && (
          <OwnFieldInputs
            kind={kind}
            value={draft.fields}
            onChange={(fields) => change({ fields })}
            errors={raise.ownErrors}
          />
        )}
      </div>
    </Dialog>
  );
}

interface KindTabsProps {
  readonly kinds: readonly Kind[];
  readonly kind: Kind;
  readonly onChoose: (kind: Kind) => void;
}

function KindTabs({ kinds, kind, onChoose }: KindTabsProps) {
  if (kinds.length < 2) return null;
  return (
    <div className="tabs create-kinds" role="group" aria-label="Ticket type">
      {kinds.map((one) => (
        <PlainButton
          key={one}
          type="button"
          aria-pressed={one === kind}
          onClick={() => onChoose(one)}
        >
          {KINDS[one].word}
        </PlainButton>
      ))}
    </div>
  );
}
