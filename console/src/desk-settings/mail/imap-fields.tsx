import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { LineField, SelectField } from "../frame/editor-form.tsx";
import type { Editor } from "../frame/use-editor.ts";
import type { MailboxDraft } from "./mailbox-draft.ts";

/** Where the mailbox is. Its password is a secret, and is named alone. */
export function ImapFields({ editor }: { readonly editor: Editor<MailboxDraft> }) {
  const { draft, change, errorOf } = editor;
  const may = useMay();
  const secrets = useOp(
    "secrets.list",
    { query: { limit: 200 } },
    { enabled: may("secrets.list") },
  ).data;
  return (
    <>
      <div className="editor-columns">
        <LineField
          label="Server"
          value={draft.host}
          onChange={(host) => change({ host })}
          error={errorOf("/imap/host")}
          placeholder="imap.example.com"
        />
        <LineField
          label="Port"
          value={draft.port}
          onChange={(port) => change({ port: port.replaceAll(/\D/g, "") })}
          error={errorOf("/imap/port")}
        />
        <SelectField
          label="Encryption"
          value={draft.security}
          options={[
            ["tls", "TLS"],
            ["starttls", "STARTTLS"],
            ["none", "None"],
          ]}
          onChange={(security) => change({ security })}
        />
      </div>
      <div className="editor-columns">
        <LineField
          label="User"
          value={draft.username}
          onChange={(username) => change({ username })}
          error={errorOf("/imap/username")}
        />
        <Field
          label="Password"
          help="The name of a secret"
          error={errorOf("/imap/secret") ?? errorOf("/imap")}
        >
          {({ id }) => (
            <Combobox
              id={id}
              label="Password"
              options={(secrets?.data ?? []).map(({ name }) => ({ value: name, label: name }))}
              value={draft.secret || undefined}
              onChange={(secret) => change({ secret: secret ?? "" })}
              placeholder="IMAP_PASSWORD"
              isFree
            />
          )}
        </Field>
        <LineField
          label="Folder"
          value={draft.folder}
          onChange={(folder) => change({ folder })}
          error={errorOf("/imap/folder")}
        />
      </div>
    </>
  );
}
