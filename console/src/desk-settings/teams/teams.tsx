import "../../ui/display/shelf.css";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { count } from "../../ui/words.ts";
import { EditorForm, LineField, NameField } from "../frame/editor-form.tsx";
import { Shelf, useOpen, useShelf } from "../frame/shelf.tsx";
import { PeopleField } from "../frame/people-field.tsx";
import { useEditor } from "../frame/use-editor.ts";

type Team = Schemas["ListedTeam"];

const useRefusal = (): string | undefined =>
  useMay()("desk:write") ? undefined : "You may not change teams (desk:write).";

export function Teams() {
  const shelf = useShelf(useOp("teams.list", { query: { limit: 200 } }));
  const nameOf = useNames();
  return (
    <Shelf
      label="Teams"
      make="New team"
      refusal={useRefusal()}
      nothing="A team has a queue of its own, and its members are told what is in it."
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
  const editor = useEditor({
    initial: {
      name: team?.name ?? "",
      description: team?.description ?? "",
      memberIds: team?.memberIds ?? [],
    },
    revision: team?.revision,
    stale: "teams.",
    refusal: useRefusal(),
    save: async (body, ifMatch) =>
      team
        ? (await call("teams.update", { params: { id: team.id }, body }, matching(ifMatch))).data
        : (await call("teams.create", { body })).data,
    remove: () => call("teams.delete", { params: { id: team?.id ?? "" } }),
    onOpen: setOpen,
  });
  const { draft, change } = editor;
  return (
    <EditorForm
      title={team?.name ?? "New team"}
      editor={editor}
      consequence="Its closed tickets keep its name. It can't be deleted while it has open ones."
    >
      <NameField {...editor} />
      <LineField
        label="What it does"
        value={draft.description}
        onChange={(description) => change({ description })}
        isOptional
      />
      <PeopleField
        label="Members"
        userIds={draft.memberIds}
        onChange={(memberIds) => change({ memberIds })}
      />
    </EditorForm>
  );
}

export const matching = (ifMatch: string | undefined) => (ifMatch === undefined ? {} : { ifMatch });
