import { useState } from "react";
import { call } from "../../data/api.ts";
import { errorsAt } from "../../data/form/form-problems.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useMay } from "../../data/people.ts";
import { attempt } from "../../data/use-command.ts";
import { type Schema, toSendable } from "../../form/index.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { type Kind, KINDS } from "../ticket-kind.ts";
import { ChangeFields } from "./change-fields.tsx";
import { CREATE, type CreateOperation, findFaults, INITIAL, type TicketDraft } from "./draft.ts";
import { IncidentFields } from "./incident-fields.tsx";
import { toContactBody } from "./new-contact.ts";
import { OwnFieldInputs } from "./own-field-inputs.tsx";
import { ProblemFields } from "./problem-fields.tsx";
import { RequestFields, useCatalogItem } from "./request-fields.tsx";

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

const ATTACH = {
  incident: "incidents.add_attachment",
  request: "requests.add_attachment",
  problem: "problems.add_attachment",
  change: "changes.add_attachment",
} as const;

type OwnFields = TicketDraft["fields"];

/** Creates a ticket of any kind for a caller on the phone or at the counter. */
export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const may = useMay();
  const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => may(CREATE[kind]));
  const [kind, setKind] = useState<Kind>(kinds[0] ?? "incident");
  const form = useForm<CreateOperation, TicketDraft>(CREATE[kind], {
    initial: INITIAL,
    check: (draft) => findFaults(kind, draft),
    encode: {
      values: (given) => (item ? toSendable(item.form as Schema, given) : given),
    },
    before: (draft) => createCaller(kind, draft),
    said: ({ data }) => `${data.number} created`,
    onDone: ({ data }) => onCreated(data.number),
  });
  const { values } = form;
  const item = useCatalogItem(values.itemId);
  const [own, setOwn] = useState<{ readonly [K in Kind]?: OwnFields }>({});
  const choose = (next: Kind): void => {
    setOwn({ ...own, [kind]: values.fields });
    const member = values.callerId?.startsWith("usr_") ? values.callerId : undefined;
    form.change({ fields: own[next], requestedFor: values.requestedFor ?? member });
    setKind(next);
  };
  const submit = (): void =>
    form.submitThen(async (reply) => {
      const fileIds = kind === "incident" ? (values.fileIds ?? []) : [];
      const params = { id: reply?.data.id ?? "" };
      // A failed attachment does not affect the created ticket.
      await Promise.all(
        fileIds.map((fileId) => attempt(() => call(ATTACH[kind], { params, body: { fileId } }))),
      );
    });
  const Fields = FIELDS[kind];
  return (
    <FormDialog
      form={{ ...form, submit }}
      title={`New ${KINDS[kind].word.toLowerCase()}`}
      act="Create"
      onClose={onClose}
    >
      <KindTabs kinds={kinds} kind={kind} onChoose={choose} />
      <Fields form={form} />
      {kind !== "request" && <OwnFieldInputs form={form} kind={kind} />}
    </FormDialog>
  );
}

/** Creates the new contact, which becomes the caller: a second attempt does not create it again. */
async function createCaller(kind: Kind, { contact }: TicketDraft): Promise<Partial<TicketDraft>> {
  if (kind !== "incident" || !contact) return {};
  const { data } = await errorsAt(
    "contact",
    call("contacts.create", { body: toContactBody(contact) }),
  );
  return { callerId: data.id, contact: null };
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
