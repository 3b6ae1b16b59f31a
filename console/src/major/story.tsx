import { type Schemas, useOp } from "../data/api.ts";
import { UndoButton } from "../events/index.ts";
import { Timeline } from "../ui/display/timeline.tsx";
import { toWords } from "../ui/words.ts";

type Moment = Schemas["TimelineMoment"];

const WORDS: Readonly<Record<string, string>> = {
  "incident.created": "raised it",
  "incident.major_declared": "declared it a major incident",
  "incident.major_ended": "made it an ordinary one",
  "incident.child_linked": "added a report",
  "incident.child_unlinked": "took a report out",
  "incident.broadcast": "told all",
  "incident.resolved": "resolved it",
  "incident.reopened": "reopened it",
  "incident.comment_added": "wrote",
};

const ROLES: Readonly<Record<string, string>> = {
  commander: "who leads",
  communications: "who tells",
  operations: "who mends",
};

/** What happened in the room, the newest first. */
export function Story({ id }: { readonly id: string }) {
  const { data } = useOp("incidents.get_timeline", { params: { id }, query: { limit: 50 } });
  return (
    <section>
      <h2>What happened</h2>
      <Timeline
        label="What happened"
        entries={(data?.data ?? []).map((moment) => {
          const said = moment.data["body"] ?? moment.data["message"];
          return {
            id: moment.eventId,
            at: moment.at,
            title: describeMoment(moment),
            act: <UndoButton events={[{ ...moment, id: moment.eventId }]} />,
            ...(typeof said === "string" && { children: <p className="room-words">{said}</p> }),
          };
        })}
      />
    </section>
  );
}

function describeMoment({ type, actor, changes, data }: Moment): string {
  const who = actor.name;
  if (changes.length > 0) {
    return `${who} changed ${changes.map(({ field }) => toWords(field.replaceAll(/([A-Z])/g, " $1")).toLowerCase()).join(", ")}`;
  }
  if (type === "incident.role_assigned")
    return `${who} said ${ROLES[String(data["role"])] ?? "who does what"}`;
  return `${who} ${WORDS[type] ?? toWords(type.slice(type.indexOf(".") + 1)).toLowerCase()}`;
}
