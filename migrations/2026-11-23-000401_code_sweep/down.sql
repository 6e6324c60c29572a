DROP TABLE code_sweep;
