-- Which version of the text rules made the passages and their index terms; 0: not known, `doctor --repair` makes them anew.
INSERT INTO meta (name, value) SELECT 'terms_version', '0';
