import "../../ui/display/trial.css";
import { MAILBOX_KIND } from "@millrace/client/enums";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { TeamField } from "../../data/options/search-field.tsx";
import { type FieldBinding, partOf } from "../../ui/form/binding.ts";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { choicesOf } from "../../ui/form/choices.ts";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { Grid, Stack, Text } from "../../ui/layout/layout.tsx";
import { EditorPanel } from "../frame/editor-panel.tsx";
import { useOpen } from "../frame/shelf.tsx";
import { ConnectionTest } from "./connection-test.tsx";
import { ImapFields } from "./imap-fields.tsx";
import { fillTemplate, keepTexts, type Mailbox, NEW_IMAP } from "./mailbox-draft.ts";
import { RuleList } from "./rule-list.tsx";
import { WayIn } from "./way-in.tsx";

type Templates = Mailbox["templates"];

const NEW_MAILBOX = {
  kind: "smtp",
  enabled: true,
  acknowledge: true,
  defaults: { kind: "incident" },
  templates: {},
  rules: [],
} as const;

export function MailboxEditor({ mailbox }: { readonly mailbox: Mailbox | undefined }) {
  const [, setOpen] = useOpen();
  const form = useForm(mailbox ? "mailboxes.update" : "mailboxes.create", {
    params: { id: mailbox?.id ?? "" },
    initial: mailbox ?? NEW_MAILBOX,
    version: revisionOf(mailbox),
    encode: { defaults: keepTexts, templates: keepTexts },
    said: ({ data }) => `${data.name} saved`,
    onDone: ({ data }) => {
      if (!mailbox) setOpen(data.id);
    },
  });
  const { kind, address, name, templates } = form.values;
  const setKind = (next: Mailbox["kind"] | null | undefined): void =>
    form.change({ kind: next, imap: next === "imap" ? (mailbox?.imap ?? NEW_IMAP) : null });
  return (
    <EditorPanel
      form={form}
      thing={mailbox}
      title={mailbox?.name ?? "New mailbox"}
      remove="mailboxes.delete"
      consequence="Millrace rejects new e-mails to this address. Existing tickets are kept."
      onRemoved={() => setOpen(undefined)}
      aside={
        <Stack gap={5}>
          <WayIn kind={kind ?? "smtp"} address={address ?? ""} />
          {mailbox?.kind === "imap" && <ConnectionTest mailbox={mailbox} isStale={form.isDirty} />}
          <SampleAnswer name={name ?? ""} templates={templates ?? {}} />
        </Stack>
      }
    >
      <Grid min="m">
        <TextField {...form.field("name")} placeholder="Service desk" />
        <TextField {...form.field("address")} placeholder="desk@example.com" />
      </Grid>
      <SelectField
        {...form.field("kind")}
        label="Receiving"
        options={choicesOf(MAILBOX_KIND, {
          smtp: "A mail server sends e-mails to Millrace (SMTP, LMTP)",
          imap: "Millrace fetches e-mails from a mailbox (IMAP)",
        })}
        onChange={setKind}
      />
      {kind === "imap" && <ImapFields field={form.field("imap")} />}
      <Grid min="m">
        <TeamField {...form.field("teamId")} label="Team of new tickets" placeholder="No team" />
        <TextField
          {...partOf(form.field("defaults"), "category", {})}
          label="Category of new tickets"
        />
      </Grid>
      <CheckField {...form.field("acknowledge")} label="Send a confirmation to the sender" />
      <CheckField {...form.field("enabled")} />
      <RuleList field={form.field("rules")} />
      <TemplateFields field={form.field("templates")} />
    </EditorPanel>
  );
}

function TemplateFields({ field }: { readonly field: FieldBinding<Templates> }) {
  return (
    <Stack as="section" gap={5} aria-label="Reply template">
      <Text as="h3" weight="medium">
        Reply template
      </Text>
      <TextField
        {...partOf(field, "subject", {})}
        label="Subject"
        placeholder="{{ticket.title}} [{{ticket.number}}]"
      />
      <TextAreaField {...partOf(field, "header", {})} label="Text above the reply" />
      <TextAreaField
        {...partOf(field, "footer", {})}
        label="Text below the reply"
        help="Placeholders: {{ticket.number}}, {{ticket.title}}, {{ticket.state}}, {{recipient.name}}, {{mailbox.name}}, {{link}}"
      />
    </Stack>
  );
}

interface SampleAnswerProps {
  readonly name: string;
  readonly templates: Templates;
}

function SampleAnswer({ name, templates }: SampleAnswerProps) {
  const { subject = "", header, footer } = templates;
  const fill = (text: string): string => fillTemplate(text, name || "Service desk");
  return (
    <section className="trial" aria-label="Preview of a reply">
      <h3>Preview of a reply</h3>
      <div className="text-sample mail-sample">
        <strong>{fill(subject || "{{ticket.title}} [{{ticket.number}}]")}</strong>
        {header && <p>{fill(header)}</p>}
        <p>Hello Sven, please try again.</p>
        {footer && <p className="muted">{fill(footer)}</p>}
      </div>
    </section>
  );
}
