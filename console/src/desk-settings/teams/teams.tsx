import "../../ui/display/shelf.css";
import { type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { useNames } from "../../data/names/names.ts";
import { useRefusal } from "../../data/people.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { count } from "../../ui/words.ts";
import { EditorPanel } from "../frame/editor-panel.tsx";
import { PeopleField } from "../frame/people-field.tsx";
import { Shelf, useOpen, useShelf } from "../frame/shelf.tsx";

type Team = Schemas["ListedTeam"];

export function Teams() {
  const shelf = useShelf(useOp("teams.list", { query: { limit: 200 } }));
  const nameOf = useNames();
  return (
    <Shelf
      label="Teams"
      make="New team"
      refusal={useRefusal("teams.create")}
      nothing="Each team has its own queue. Members get notifications about its tickets."
      items={shelf.things.map(({ id, name, memberIds }) => ({
        id,
        label: name,
        about: count(memberIds.length, "member"),
        mark: (
          <span className="shelf-faces" aria-hidden="true">
            {memberIds.slice(0, 4).map((one) => (
              <Avatar key={one} name={nameOf(one)} />
            ))}
          </span>
        ),
      }))}
      {...shelf.reading}
    >
      {(shelf.opened || shelf.isNew) && <TeamEditor key={shelf.open} team={shelf.opened} />}
    </Shelf>
  );
}

function TeamEditor({ team }: { readonly team: Team | undefined }) {
  const [, setOpen] = useOpen();
  const form = useForm(team ? "teams.update" : "teams.create", {
    params: { id: team?.id ?? "" },
    initial: team ?? {},
    version: revisionOf(team),
    said: ({ data }) => `${data.name} saved`,
    // An existing team is already open: opening it again would move a user who has left the page.
    onDone: ({ data }) => {
      if (!team) setOpen(data.id);
    },
  });
  return (
    <EditorPanel
      form={form}
      thing={team}
      title={team?.name ?? "New team"}
      remove="teams.delete"
      consequence="Closed tickets keep the team name. You can't delete a team that has open tickets."
      onRemoved={() => setOpen(undefined)}
    >
      <TextField {...form.field("name")} />
      <TextField {...form.field("description")} label="Description" />
      <PeopleField
        label="Members"
        userIds={form.values.memberIds ?? []}
        onChange={(memberIds) => form.change({ memberIds })}
      />
    </EditorPanel>
  );
}
