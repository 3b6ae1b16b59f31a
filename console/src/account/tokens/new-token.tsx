import type { Schemas } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useMe } from "../../data/people.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { ListField } from "../../ui/form/list-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { ScopesField } from "./scope-picker.tsx";

const LIFETIMES = [
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["365d", "1 year"],
] as const;

/** Creates a token: name, expiry and minimal scopes. */
export function NewTokenDialog(props: {
  readonly onClose: () => void;
  readonly onMade: (token: Schemas["NewApiToken"]) => void;
}) {
  const me = useMe();
  const form = useForm("tokens.create", {
    initial: { expiresIn: "90d" },
    onDone: ({ data }) => props.onMade(data),
  });
  return (
    <FormDialog form={form} title="New API token" act="Create token" isWide onClose={props.onClose}>
      <TextField
        {...form.field("name")}
        help="The app or script that uses the token, for example “Backup script”."
      />
      <SelectField
        {...form.field("expiresIn")}
        label="Expiration"
        none="No expiration"
        options={LIFETIMES}
        isRequired
      />
      <ListField
        {...form.field("ipAllowlist")}
        label="Allowed IP addresses"
        help="IP addresses or ranges, separated by spaces. Example: 192.0.2.0/24"
      />
      <ScopesField {...form.field("scopes")} offered={me?.permissions ?? []} />
    </FormDialog>
  );
}
