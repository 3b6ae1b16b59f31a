import { Link } from "@tanstack/react-router";
import { ArrowLeft, Search } from "lucide-react";
import { isSettingsPath, screenAt } from "../areas.ts";
import { SETTINGS } from "../settings/declaration.ts";
import { settingAt } from "../settings/find.ts";
import { useOffered } from "../settings/use-settings.ts";
import { Branch, Entry } from "./branch.tsx";

export interface Place {
  readonly pathname: string;
  readonly search: object;
}

interface SettingsListProps {
  readonly at: Place;
  /** The page from which the user opened the settings. */
  readonly outside: Place;
}

/** The menu of the settings: sections with their pages, and a link back. */
export function SettingsList({ at: { pathname, search }, outside }: SettingsListProps) {
  const sections = useOffered(SETTINGS);
  const isHere = pathname === "/settings";
  const here = settingAt(sections, pathname, { ...search });
  return (
    <>
      <Link to={outside.pathname} search={{ ...outside.search }} className="nav-item nav-back">
        <ArrowLeft className="ico" />
        <span className="nav-label">Back to {screenAt(outside.pathname)?.label ?? "Home"}</span>
      </Link>
      <Entry
        leaf={{ to: "/settings", label: "All settings", icon: Search, isHere }}
        current={isHere ? "page" : undefined}
      />
      <ul className="nav-first">
        {sections.map(({ id, label, icon, settings }) => {
          // Settings on other pages are only listed in the search: a link here would leave the settings.
          const own = settings.filter(({ to, hash }) => hash === undefined && isSettingsPath(to));
          const [main] = own;
          if (!main) return null;
          return (
            <Branch
              key={id}
              head={{ ...main, label, icon }}
              leaves={(own.length === 1 ? [] : own).map((setting) => ({
                to: setting.to,
                ...(setting.search && { search: setting.search }),
                label: setting.title,
                isHere: here?.setting === setting,
              }))}
              isHere={here?.section.id === id}
            />
          );
        })}
      </ul>
    </>
  );
}
