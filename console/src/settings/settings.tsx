import "./settings-index.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, useRef, useState } from "react";
import { useMe } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { SETTINGS } from "../shell/settings/declaration.ts";
import { findSettings, type FoundSetting } from "../shell/settings/find.ts";
import type { Setting, SettingsSection } from "../shell/settings/setting-entry.ts";
import { useOffered } from "../shell/settings/use-settings.ts";
import { useTitle } from "../shell/title.ts";
import { Empty } from "../ui/feedback.tsx";
import { TextInput } from "../ui/form/controls.tsx";
import { Text } from "../ui/layout/layout.tsx";

const OWN = "account";

export function Settings() {
  useTitle("Settings");
  const me = useMe();
  const { q = "" } = useSearch({ from: "/inside/settings" });
  const [text, setText] = useState(q);
  const navigate = useNavigate();
  const sections = useOffered(SETTINGS);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const isSearched = text.trim() !== "";
  const found = isSearched ? findSettings(sections, text) : [];
  useActions([{ keys: "f", label: "Search settings", run: () => field.current?.focus() }]);
  const search = (next: string): void => {
    setText(next);
    void navigate({ to: "/settings", search: { q: next || undefined }, replace: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && event.target === field.current) {
      list.current?.querySelector("a")?.click();
    } else if (!moveFocus(event.key, field.current, list.current)) return;
    event.preventDefault();
  };
  return (
    <div className="scroll folio" onKeyDown={onKeyDown}>
      <div className="folio-body wide settings-index">
        <h1>Settings</h1>
        <TextInput
          ref={field}
          type="search"
          autoFocus
          aria-label="Search settings"
          placeholder="Search settings, for example calendars or single sign-on"
          value={text}
          onChange={({ target }) => search(target.value)}
        />
        <div ref={list} className="settings-found">
          {isSearched ? (
            <Found settings={found} text={text} />
          ) : (
            sections.map((section) => <Section key={section.id} section={section} />)
          )}
        </div>
        {me && !isSearched && sections.every(({ id }) => id === OWN) && (
          <Text tone="muted">
            You don’t have permission to change workspace settings. An owner or an admin can assign
            you another role.
          </Text>
        )}
      </div>
    </div>
  );
}

function Section({ section }: { readonly section: SettingsSection }) {
  const { id, label, icon: Icon, settings } = section;
  return (
    <section id={id} aria-labelledby={`settings-${id}`}>
      <h2 id={`settings-${id}`}>
        <Icon className="ico" /> {label}
      </h2>
      <ul className="settings-list">
        {settings.map((setting) => (
          <Line key={setting.title} setting={setting} />
        ))}
      </ul>
    </section>
  );
}

interface FoundProps {
  readonly settings: readonly FoundSetting[];
  readonly text: string;
}

function Found({ settings, text }: FoundProps) {
  if (settings.length === 0) {
    return (
      <Empty title={`No settings found for “${text.trim()}”`}>
        Settings that you don’t have permission to change are not listed.
      </Empty>
    );
  }
  return (
    <section aria-label="Results">
      <ul className="settings-list">
        {settings.map(({ setting, section }) => (
          <Line key={setting.title} setting={setting} where={section.label} />
        ))}
      </ul>
    </section>
  );
}

function Line({ setting, where }: { readonly setting: Setting; readonly where?: string }) {
  const { title, about, to, search = {}, hash } = setting;
  return (
    <li>
      <Link to={to} search={search} {...(hash !== undefined && { hash })} className="settings-line">
        <strong>{title}</strong>
        <span className="muted">{about}</span>
        {where !== undefined && <span className="settings-where">{where}</span>}
      </Link>
    </li>
  );
}

/** Moves the focus between the field and the results; returns whether the key was used. */
function moveFocus(key: string, field: HTMLElement | null, list: HTMLElement | null): boolean {
  const by = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (by === undefined || !field || !list) return false;
  const stops = [field, ...list.querySelectorAll<HTMLElement>("a")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[Math.max(0, Math.min(at + by, stops.length - 1))]?.focus();
  return at >= 0;
}
