import { INCIDENT_ROLE } from "@millrace/client/enums";
import { useNames } from "../data/names/names.ts";
import { PersonCombobox } from "../data/options/person-combobox.tsx";
import { useMay, useMe } from "../data/people.ts";
import { perform } from "../data/use-command.ts";
import { useActions } from "../shell/actions.ts";
import { Avatar } from "../ui/avatar.tsx";
import type { Room } from "./room-data.ts";
import { Button } from "../ui/form/button.tsx";
import { choicesOf } from "../ui/form/choices.ts";

const ROLES = choicesOf(INCIDENT_ROLE, {
  commander: "Incident commander",
  communications: "Communications",
  operations: "Operations",
});
type Role = (typeof INCIDENT_ROLE)[number];
const ABOUT: Readonly<Record<Role, string>> = {
  commander: "Makes the decisions and assigns the work",
  communications: "Keeps customers and staff informed",
  operations: "Restores the service",
};

/** The roles of a major incident: three cards, each with one person or unassigned. */
export function RoleCards({ room }: { readonly room: Room }) {
  const { incident, roles } = room;
  const may = useMay();
  const me = useMe()?.user.id;
  const mayChange = may("major_incidents.assign_role") && incident.isMajor;
  const assign = (role: Role, userId: string | null) =>
    perform("major_incidents.assign_role", {
      params: { id: incident.id, role },
      body: { userId },
    });
  const disabled = mayChange ? undefined : "You don’t have permission to assign roles.";
  useActions(
    ROLES.map(([role, label], n) => ({
      keys: String(n + 1),
      label: `${label}: assign to me`,
      run: () => void assign(role, me ?? null),
      disabled,
    })),
  );
  return (
    <section className="roles" aria-label="Roles">
      {ROLES.map(([role, label]) => (
        <RoleCard
          key={role}
          label={label}
          about={ABOUT[role]}
          userId={roles.find((one) => one.role === role)?.userId}
          me={me}
          disabled={disabled}
          onAssign={(userId) => void assign(role, userId)}
        />
      ))}
    </section>
  );
}

function RoleCard(props: {
  readonly label: string;
  readonly about: string;
  readonly userId: string | undefined;
  readonly me: string | undefined;
  readonly disabled: string | undefined;
  readonly onAssign: (userId: string | null) => void;
}) {
  const nameOf = useNames();
  const { userId, label, disabled } = props;
  const name = nameOf(userId) ?? (userId === undefined ? undefined : "Unknown user");
  return (
    <div className={userId === undefined ? "role-card is-empty" : "role-card"}>
      <p className="row">
        <Avatar name={name} big />
        <span className="grow">
          <strong>{label}</strong>
          <span className="muted">{name ?? "Unassigned"}</span>
        </span>
      </p>
      <p className="muted role-about">{props.about}</p>
      {disabled === undefined && (
        <div className="row">
          <PersonCombobox
            key={userId ?? ""}
            label={`${label}: person`}
            placeholder="Search people"
            value={userId}
            onChange={(value) => props.onAssign(value ?? null)}
          />
          {userId !== props.me && (
            <Button
              aria-label={`${label}: assign to me`}
              onClick={() => props.onAssign(props.me ?? null)}
            >
              {" "}
              Assign to me{" "}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
