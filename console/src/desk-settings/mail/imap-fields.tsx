import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { type FieldBinding, partOf } from "../../ui/form/binding.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { FieldFrame, framed } from "../../ui/form/field-frame.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import type { Mailbox } from "./mailbox-draft.ts";

interface ImapFieldsProps {
  readonly field: FieldBinding<NonNullable<Mailbox["imap"]>>;
}

/** The server settings of the mailbox. The password is stored as a secret and referenced by name. */
export function ImapFields({ field }: ImapFieldsProps) {
  const may = useMay();
  const secrets = useOp(
    "secrets.list",
    { query: { limit: 200 } },
    { enabled: may("secrets.list") },
  ).data;
  const secret = partOf(field, "secret");
  const error = field.errorFor("IMAP account");
  return (
    <>
      <Grid min="m">
        <TextField {...partOf(field, "host")} label="Server" placeholder="imap.example.com" />
        <NumberField {...partOf(field, "port")} label="Port" />
        <SelectField
          {...partOf(field, "security")}
          label="Encryption"
          options={[
            ["tls", "TLS"],
            ["starttls", "STARTTLS"],
            ["none", "None"],
          ]}
        />
      </Grid>
      <Grid min="m">
        <TextField {...partOf(field, "username")} label="Username" />
        <FieldFrame
          field={framed({
            ...secret,
            label: "Password",
            help: "Select the secret that holds the password.",
          })}
        >
          {(attributes, label) => (
            <Combobox
              id={attributes.id}
              label={label}
              isDisabled={attributes.disabled}
              isInvalid={attributes["aria-invalid"] === true}
              describedBy={attributes["aria-describedby"]}
              options={(secrets?.data ?? []).map(({ name }) => ({ value: name, label: name }))}
              value={secret.value || undefined}
              onChange={(name) => secret.onChange(name ?? "")}
              placeholder="IMAP_PASSWORD"
              isFree
            />
          )}
        </FieldFrame>
        <TextField {...partOf(field, "folder")} label="Folder" />
      </Grid>
      {error !== undefined && <p className="field-error">{error}</p>}
    </>
  );
}
