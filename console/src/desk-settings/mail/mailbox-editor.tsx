import { MAILBOX_KIND } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import "../../ui/display/trial.css";
import { call } from "../../data/api.ts";
import { CheckField, EditorForm, LineField, SelectField } from "../frame/editor-form.tsx";
import { useOpen } from "../frame/shelf.tsx";
import { TeamSelect } from "../frame/team-select.tsx";
import { type Editor, useEditor } from "../frame/use-editor.ts";
import { matching } from "../teams/teams.tsx";
import { ConnectionTest } from "./connection-test.tsx";
import { ImapFields } from "./imap-fields.tsx";
import { fillTemplate, type Mailbox, type MailboxDraft, toBody, toDraft } from "./mailbox-draft.ts";
import { RuleList } from "./rule-list.tsx";
import { WayIn } from "./way-in.tsx";

interface MailboxEditorProps {
  readonly mailbox: Mailbox | undefined;
  readonly refusal: string | undefined;
}

export function MailboxEditor({ mailbox, refusal }: MailboxEditorProps) {
  const [, setOpen] = useOpen();
  const editor = useEditor<MailboxDraft>({
    initial: toDraft(mailbox),
    revision: mailbox?.revision,
    stale: "mailboxes.",
    refusal,
    save: async (draft, ifMatch) => {
      const body = toBody(draft, mailbox);
      const params = { id: mailbox?.id ?? "" };
      return mailbox
        ? (await call("mailboxes.update", { params, body }, matching(ifMatch))).data
        : (await call("mailboxes.create", { body })).data;
    },
    remove: () => call("mailboxes.delete", { params: { id: mailbox?.id ?? "" } }),
    onOpen: setOpen,
  });
  const { draft, change, errorOf } = editor;
  return (
    <EditorForm
      title={mailbox?.name ?? "New mailbox"}
      editor={editor}
      consequence="Mails to it are refused from then on. Its tickets stay."
      aside={<Aside editor={editor} mailbox={mailbox} />}
    >
      <div className="editor-columns">
        <LineField
          label="Name"
          value={draft.name}
          onChange={(name) => change({ name })}
          error={errorOf("/name")}
          placeholder="Service desk"
        />
        <LineField
          label="Address"
          value={draft.address}
          onChange={(address) => change({ address })}
          error={errorOf("/address")}
          placeholder="desk@example.com"
        />
      </div>
      <SelectField
        label="Receiving"
        value={draft.kind}
        options={choicesOf(MAILBOX_KIND, {
          smtp: "A mail server hands them over (SMTP, LMTP)",
          imap: "We fetch them from a mailbox (IMAP)",
        })}
        onChange={(kind) => change({ kind })}
      />
      {draft.kind === "imap" && <ImapFields editor={editor} />}
      <div className="editor-columns">
        <TeamSelect
          label="New tickets go to"
          none="No team"
          value={draft.teamId}
          onChange={(teamId) => change({ teamId })}
        />
        <LineField
          label="Their category"
          value={draft.category}
          onChange={(category) => change({ category })}
          error={errorOf("/defaults/category")}
          isOptional
        />
      </div>
      <CheckField
        label="Tell the sender that it has arrived"
        isOn={draft.acknowledge}
        onChange={(acknowledge) => change({ acknowledge })}
      />
      <CheckField
        label="Enabled"
        isOn={draft.enabled}
        onChange={(enabled) => change({ enabled })}
      />
      <RuleList
        rules={draft.rules}
        onChange={(rules) => change({ rules })}
        errorOf={(path) => errorOf(`/rules${path}`)}
      />
      <TemplateFields editor={editor} />
    </EditorForm>
  );
}

function TemplateFields({ editor }: { readonly editor: Editor<MailboxDraft> }) {
  const { draft, change, errorOf } = editor;
  return (
    <fieldset className="mail-templates">
      <legend>Around each answer</legend>
      <LineField
        label="Subject"
        value={draft.subject}
        onChange={(subject) => change({ subject })}
        error={errorOf("/templates/subject")}
        placeholder="{{ticket.title}} [{{ticket.number}}]"
        isOptional
      />
      <LineField
        label="Above the text"
        value={draft.header}
        onChange={(header) => change({ header })}
        error={errorOf("/templates/header")}
        isArea
        isOptional
      />
      <LineField
        label="Below the text"
        value={draft.footer}
        onChange={(footer) => change({ footer })}
        error={errorOf("/templates/footer")}
        help="{{ticket.number}}, {{ticket.title}}, {{ticket.state}}, {{recipient.name}}, {{mailbox.name}}, {{link}}"
        isArea
        isOptional
      />
    </fieldset>
  );
}

interface AsideProps {
  readonly editor: Editor<MailboxDraft>;
  readonly mailbox: Mailbox | undefined;
}

function Aside({ editor, mailbox }: AsideProps) {
  const { draft } = editor;
  const fill = (text: string): string => fillTemplate(text, draft.name || "Service desk");
  return (
    <div className="mail-aside">
      <WayIn kind={draft.kind} address={draft.address} />
      {mailbox?.kind === "imap" && <ConnectionTest mailbox={mailbox} isStale={editor.isChanged} />}
      <section className="trial" aria-label="An answer">
        <h3>An answer</h3>
        <div className="text-sample mail-sample">
          <strong>{fill(draft.subject || "{{ticket.title}} [{{ticket.number}}]")}</strong>
          {draft.header && <p>{fill(draft.header)}</p>}
          <p>Hello Sven, please try it once more.</p>
          {draft.footer && <p className="muted">{fill(draft.footer)}</p>}
        </div>
      </section>
    </div>
  );
}
