-- The member to whom another one reports. Without a foreign key: the manager who is removed and invited again is the
-- manager again, and an archive can be put in row by row.
alter table memberships add column manager_id text collate "C";
create index memberships_manager on memberships (workspace_id, manager_id) where manager_id is not null;
