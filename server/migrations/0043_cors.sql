-- The origins whose pages may call the API of a workspace.
alter table workspaces add column cors_origins text[] not null default '{}';
create index workspaces_cors on workspaces (slug) where cors_origins <> '{}';
