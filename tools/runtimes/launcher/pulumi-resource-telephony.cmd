@echo off
"%~dp0node.exe" "%~dp0main.js" %*
