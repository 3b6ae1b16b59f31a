import { INCIDENT_SEVERITY } from "@millrace/client/enums";
import { type ReactNode, useMemo } from "react";
import { useColleagues, useMembers, useNames, useTeams } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { Ago } from "../../ui/time.tsx";
import { toMoment, toWords } from "../../ui/words.ts";
import { KINDS, type Ticket, UPDATE } from "../ticket-kind.ts";
import { changeFields } from "./use-acts.ts";

const LEVELS = ["", "High", "Medium", "Low"] as const;
const SEVERITIES = INCIDENT_SEVERITY;
const OPTIONS_MAX = 60;
const NOBODY: readonly string[] = [];

interface FactOption {
  readonly label: string;
  readonly value: unknown;
}

/** The fields of a ticket, edited in place. */
export function Facts({
  ticket,
  fixed,
}: {
  readonly ticket: Ticket;
  /** The reason why all fields are read-only for all users. */
  readonly fixed?: string;
}) {
  const may = useMay();
  const nameOf = useNames();
  const { write, word } = KINDS[ticket.kind];
  const unable = `You don’t have permission to change ${word.toLowerCase()}s (${write}).`;
  const refusal = fixed ?? (may(write) ? undefined : unable);
  const { teams, assignees } = useAssignees(ticket.teamId);
  const change = (field: string, value: unknown, said: string): void =>
    void changeFields(ticket, UPDATE[ticket.kind], { [field]: value }, `${ticket.number} ${said}`);
  const { all } = ticket;
  const levels: readonly FactOption[] = [1, 2, 3].map((value) => ({
    label: LEVELS[value] ?? "",
    value,
  }));
  return (
    <dl className="facts">
      <Fact
        name="Assignee"
        mark={<Avatar name={nameOf(ticket.assigneeId)} />}
        options={[{ label: "Unassigned", value: null }, ...assignees]}
        refusal={refusal}
        onPick={({ value, label }) =>
          change("assigneeId", value, value === null ? "unassigned" : `assigned to ${label}`)
        }
      >
        {nameOf(ticket.assigneeId) ?? "Unassigned"}
      </Fact>
      <Fact
        name="Team"
        options={[
          { label: "None", value: null },
          ...teams.map(({ id, name }) => ({ label: name, value: id })),
        ]}
        refusal={refusal}
        onPick={({ value, label }) =>
          change("teamId", value, value === null ? "removed from its team" : `assigned to ${label}`)
        }
      >
        {nameOf(ticket.teamId) ?? "None"}
      </Fact>
      {(["impact", "urgency"] as const).map(
        (field) =>
          typeof all[field] === "number" && (
            <Fact
              key={field}
              name={toWords(field)}
              options={levels}
              refusal={refusal}
              onPick={({ value, label }) => change(field, value, `${field} set to ${label}`)}
            >
              {LEVELS[all[field]]}
            </Fact>
          ),
      )}
      {typeof all["severity"] === "string" && (
        <Fact
          name="Severity"
          options={SEVERITIES.map((value) => ({ label: toWords(value), value }))}
          refusal={refusal}
          onPick={({ value, label }) => change("severity", value, `severity set to ${label}`)}
        >
          {toWords(all["severity"])}
        </Fact>
      )}
      {typeof all["category"] === "string" && all["category"] !== "" && (
        <Plain name="Category">{toWords(all["category"])}</Plain>
      )}
      {typeof all["plannedStart"] === "string" && (
        <Plain name="Planned">{toMoment(all["plannedStart"])}</Plain>
      )}
      <Plain name="Created">
        <Ago at={ticket.createdAt} />
      </Plain>
    </dl>
  );
}

/** The teams and the agents, with members of this team first. */
function useAssignees(teamId: string | null) {
  const people = useColleagues();
  const teams = useTeams();
  const team = teams.find(({ id }) => id === teamId);
  const members = useMembers(team?.memberIds ?? NOBODY);
  const assignees = useMemo(() => {
    const inTeam = members.filter(({ status }) => status === "active");
    const known = new Set(inTeam.map(({ id }) => id));
    const agents = people.filter(
      ({ id, roles }) =>
        !known.has(id) && roles.some((role) => /agent|owner|admin|manager/.test(role)),
    );
    return [...inTeam, ...agents]
      .slice(0, OPTIONS_MAX)
      .map(({ id, name }) => ({ label: name, value: id }));
  }, [people, members]);
  return { teams, assignees };
}

interface FactProps {
  readonly name: string;
  readonly options: readonly FactOption[];
  readonly refusal: string | undefined;
  readonly onPick: (option: FactOption) => void;
  readonly mark?: ReactNode;
  /** The value as text. */
  readonly children: string | undefined;
}

function Fact({ name, options, refusal, onPick, mark, children }: FactProps) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd className="fact-value">
        {mark}
        {refusal === undefined ? (
          <Menu
            label={`${name}: ${children ?? ""}`}
            className="fact-button"
            align="start"
            items={options.map((option) => ({ label: option.label, onPick: () => onPick(option) }))}
          >
            <span className="cut">{children}</span>
          </Menu>
        ) : (
          <span className="fact-plain" title={refusal}>
            {children}
          </span>
        )}
      </dd>
    </div>
  );
}

function Plain({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>
        <span className="fact-plain">{children}</span>
      </dd>
    </div>
  );
}
