import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { versionOf } from "../data/form/version.ts";
import { useNames } from "../data/names/names.ts";
import { PersonField } from "../data/options/search-field.tsx";
import { useRefusals } from "../data/people.ts";
import { Section } from "../ui/display/section.tsx";
import { Button } from "../ui/form/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { count } from "../ui/words.ts";

type Member = Schemas["Member"];

const REPORTS_MAX = 1_000;

/** Shows the member's manager, used as approver if a catalog item requires it. */
export function Manager({ member }: { readonly member: Member }) {
  const nameOf = useNames();
  const refusal = useRefusals()("users.update");
  const [isEditing, setEditing] = useState(false);
  const query = { managerId: member.id, limit: REPORTS_MAX };
  const reports = useOp("users.list", { query }).data?.data.length ?? 0;
  const manager = member.managerId ? (nameOf(member.managerId) ?? "…") : "None";
  return (
    <Section
      title="Manager"
      about={reports === 0 ? manager : `${manager}. Manages ${count(reports, "member")}.`}
      act={
        <Button refusal={refusal} onClick={() => setEditing(true)}>
          Change manager
        </Button>
      }
    >
      {isEditing && <ManagerDialog member={member} onClose={() => setEditing(false)} />}
    </Section>
  );
}

function ManagerDialog(props: { readonly member: Member; readonly onClose: () => void }) {
  const { member, onClose } = props;
  const params = { id: member.id };
  const initial = { managerId: member.managerId ?? null };
  const version = versionOf("users.get", { params }, ({ data }) => ({
    managerId: data.managerId ?? null,
  }));
  const form = useForm("users.update", { params, initial, version, onDone: onClose });
  return (
    <FormDialog form={form} title={`Manager of ${member.name}`} onClose={onClose}>
      <PersonField {...form.field("managerId")} label="Manager" placeholder="Name of a member" />
    </FormDialog>
  );
}
